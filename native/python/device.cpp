// device.cpp: the Library class as Python sees it: memory, copies, streams, events, graphs,
// reports.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "dtypes.hpp"
#include "tensor.hpp"

namespace nb = nanobind;

namespace camp::python {
namespace {

template <typename T>
T to_pointer(uintptr_t value) {
  return reinterpret_cast<T>(value);
}

int device_count(const Library &library) {
  int count = 0;
  library.check(library.device_count(&count));
  return count;
}

nb::dict device_info(const Library &library, int device) {
  camp_device_info_t info{};
  library.check(library.device_get_info(device, &info));
  nb::dict dict;
  dict["name"] = info.name;
  dict["compute_major"] = info.compute_major;
  dict["compute_minor"] = info.compute_minor;
  dict["multiprocessors"] = info.multiprocessors;
  dict["max_threads_per_block"] = info.max_threads_per_block;
  dict["shared_bytes_per_block"] = info.shared_bytes_per_block;
  dict["shared_bytes_per_block_optin"] = info.shared_bytes_per_block_optin;
  dict["l2_bytes"] = info.l2_bytes;
  dict["memory_bytes"] = info.memory_bytes;
  dict["memory_clock_khz"] = info.memory_clock_khz;
  dict["memory_bus_width_bits"] = info.memory_bus_width_bits;
  return dict;
}

uintptr_t alloc(const Library &library, int device, size_t bytes) {
  void *pointer = nullptr;
  library.check(library.memory_alloc(device, bytes, &pointer));
  return reinterpret_cast<uintptr_t>(pointer);
}

void copy(const Library &library, uintptr_t destination, uintptr_t source, size_t bytes,
          const std::string &kind, uintptr_t stream) {
  camp_copy_kind_t direction;
  if (kind == "host_to_device") {
    direction = CAMP_COPY_HOST_TO_DEVICE;
  } else if (kind == "device_to_host") {
    direction = CAMP_COPY_DEVICE_TO_HOST;
  } else if (kind == "device_to_device") {
    direction = CAMP_COPY_DEVICE_TO_DEVICE;
  } else {
    throw invalid_argument("'" + kind +
                           "' is no copy; use host_to_device, device_to_host or device_to_device");
  }
  camp_status_t status;
  {
    nb::gil_scoped_release release;
    status = library.memory_copy(to_pointer<void *>(destination), to_pointer<const void *>(source),
                                 bytes, direction, to_pointer<camp_stream_t>(stream));
  }
  library.check(status);
}

// Fresh device memory as an array with DLPack, for libraries that let nobody write into their own.
nb::ndarray<nb::array_api> empty(const LibraryPointer &library, int device,
                                 const std::string &dtype, const std::vector<size_t> &shape) {
  struct Block {
    LibraryPointer library;
    int device;
    void *pointer;
  };
  const camp_dtype_t type = dtype_from_name(dtype);
  size_t bytes = dtype_bytes(type);
  for (size_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      throw StatusError(CAMP_STATUS_OVERFLOW, "an array of this shape leaves 64 bits");
    }
  }
  auto block = std::make_unique<Block>(Block{library, device, nullptr});
  library->check(library->memory_alloc(device, bytes, &block->pointer));
  void *pointer = block->pointer;
  nb::capsule owner(block.release(), [](void *data) noexcept {
    std::unique_ptr<Block> dead(static_cast<Block *>(data));
    dead->library->memory_free(dead->device, dead->pointer);
  });
  const Place place = library->is_sim() ? Place::kHost : Place::kCuda;
  return nb::ndarray<nb::array_api>(pointer, shape.size(), shape.data(), owner, nullptr,
                                    dlpack_dtype(type), static_cast<int>(place), device);
}

template <typename Call>
void without_gil(const Library &library, Call call) {
  camp_status_t status;
  {
    nb::gil_scoped_release release;
    status = call();
  }
  library.check(status);
}

void bind_streams(nb::class_<Library> &library) {
  library
      .def(
          "stream_create",
          [](const Library &l, int device) {
            camp_stream_t stream = nullptr;
            l.check(l.stream_create(device, &stream));
            return reinterpret_cast<uintptr_t>(stream);
          },
          nb::arg("device"))
      .def(
          "stream_destroy",
          [](const Library &l, uintptr_t stream) {
            l.check(l.stream_destroy(to_pointer<camp_stream_t>(stream)));
          },
          nb::arg("stream"))
      .def(
          "stream_synchronize",
          [](const Library &l, uintptr_t stream) {
            without_gil(l, [&] { return l.stream_synchronize(to_pointer<camp_stream_t>(stream)); });
          },
          nb::arg("stream"))
      .def(
          "event_create",
          [](const Library &l, int device) {
            camp_event_t *event = nullptr;
            l.check(l.event_create(device, &event));
            return reinterpret_cast<uintptr_t>(event);
          },
          nb::arg("device"))
      .def(
          "event_destroy",
          [](const Library &l, uintptr_t event) {
            l.check(l.event_destroy(to_pointer<camp_event_t *>(event)));
          },
          nb::arg("event"))
      .def(
          "event_record",
          [](const Library &l, uintptr_t event, uintptr_t stream) {
            l.check(l.event_record(to_pointer<camp_event_t *>(event),
                                   to_pointer<camp_stream_t>(stream)));
          },
          nb::arg("event"), nb::arg("stream") = 0)
      .def(
          "event_synchronize",
          [](const Library &l, uintptr_t event) {
            without_gil(l, [&] { return l.event_synchronize(to_pointer<camp_event_t *>(event)); });
          },
          nb::arg("event"))
      .def(
          "event_elapsed_ms",
          [](const Library &l, uintptr_t start, uintptr_t end) {
            float milliseconds = 0;
            l.check(l.event_elapsed_ms(to_pointer<camp_event_t *>(start),
                                       to_pointer<camp_event_t *>(end), &milliseconds));
            return milliseconds;
          },
          nb::arg("start"), nb::arg("end"),
          "Milliseconds between two recorded events, about 0.5 us fine on a GPU.");
}

void bind_graphs(nb::class_<Library> &library) {
  library
      .def(
          "graph_begin",
          [](const Library &l, uintptr_t stream) {
            l.check(l.graph_begin(to_pointer<camp_stream_t>(stream)));
          },
          nb::arg("stream"), "From here on the stream records its work instead of doing it.")
      .def(
          "graph_end",
          [](const Library &l, uintptr_t stream) {
            camp_graph_t *graph = nullptr;
            l.check(l.graph_end(to_pointer<camp_stream_t>(stream), &graph));
            return reinterpret_cast<uintptr_t>(graph);
          },
          nb::arg("stream"), "Ends the recording; the graph of what was recorded.")
      .def(
          "graph_launch",
          [](const Library &l, uintptr_t graph, uintptr_t stream) {
            without_gil(l, [&] {
              return l.graph_launch(to_pointer<camp_graph_t *>(graph),
                                    to_pointer<camp_stream_t>(stream));
            });
          },
          nb::arg("graph"), nb::arg("stream"), "Enqueues all that was recorded.")
      .def(
          "graph_destroy",
          [](const Library &l, uintptr_t graph) {
            l.check(l.graph_destroy(to_pointer<camp_graph_t *>(graph)));
          },
          nb::arg("graph"));
}

void require_sim(const Library &library) {
  if (!library.is_sim()) throw invalid_argument("only the sim backend has options and reports");
}

void bind_simulator(nb::class_<Library> &library) {
  library
      .def(
          "sim_configure",
          [](const Library &l, uint64_t seed, uint32_t workers, uint32_t limit, uint8_t poison) {
            require_sim(l);
            camp_sim_options_t options{};
            options.schedule_seed = seed;
            options.workers = workers;
            options.time_limit_ms = limit;
            options.poison = poison;
            l.check(l.sim_configure(&options));
          },
          nb::arg("schedule_seed") = 0, nb::arg("workers") = 0, nb::arg("time_limit_ms") = 0,
          nb::arg("poison") = 0,
          "Sets the simulator's options of this process; see camp_sim_options_t.")
      .def(
          "sim_reset",
          [](const Library &l) {
            require_sim(l);
            l.check(l.sim_configure(nullptr));
          },
          "Restores the simulator's default options.")
      .def(
          "sim_take_report",
          [](const Library &l) {
            require_sim(l);
            return nb::str(l.sim_take_report());
          },
          "All the simulator saw since the last call, as JSON (see simulator.h), and forgets it.");
}

}  // namespace

void bind_library(nb::module_ &module) {
  nb::class_<Library> library(
      module, "Library",
      "libcamp_runtime.so of one backend. Pointers, streams, events and graphs are "
      "integers.\n\nMethods raise the RuntimeStatusError that their C "
      "function's status stands for.");
  library
      .def(nb::init<const std::string &>(), nb::arg("path"),
           "Loads the library. Raises LibraryLoadError, also for another ABI version.")
      .def_prop_ro("path", [](const Library &l) { return l.object().path(); })
      .def_prop_ro("backend", &Library::backend, "\"sim\" or \"nvidia\".")
      .def_prop_ro("abi_version", [](const Library &l) { return l.abi_version(); })
      .def(
          "dtype_bytes",
          [](const Library &l, const std::string &name) {
            return l.dtype_bytes(dtype_from_name(name));
          },
          nb::arg("dtype"), "Bytes of one element, by the library's own table.")
      .def("device_count", &device_count)
      .def("device_info", &device_info, nb::arg("device"),
           nb::sig("def device_info(self, device: int) -> dict[str, str | int]"),
           "The fields of camp_device_info_t.")
      .def(
          "device_synchronize",
          [](const Library &l, int device) {
            without_gil(l, [&] { return l.device_synchronize(device); });
          },
          nb::arg("device"))
      .def("alloc", &alloc, nb::arg("device"), nb::arg("bytes"),
           "Address of fresh device memory; 0 for no bytes.")
      .def(
          "free",
          [](const Library &l, int device, uintptr_t pointer) {
            l.check(l.memory_free(device, to_pointer<void *>(pointer)));
          },
          nb::arg("device"), nb::arg("pointer"))
      .def("copy", &copy, nb::arg("destination"), nb::arg("source"), nb::arg("bytes"),
           nb::arg("kind"), nb::arg("stream") = 0,
           "Copies bytes; `kind` is host_to_device, device_to_host or device_to_device.")
      .def(
          "memset",
          [](const Library &l, uintptr_t pointer, uint8_t value, size_t bytes, uintptr_t stream) {
            l.check(l.memory_set(to_pointer<void *>(pointer), value, bytes,
                                 to_pointer<camp_stream_t>(stream)));
          },
          nb::arg("pointer"), nb::arg("value"), nb::arg("bytes"), nb::arg("stream") = 0)
      .def("empty", &empty, nb::arg("device"), nb::arg("dtype"), nb::arg("shape"),
           nb::sig("def empty(self, device: int, dtype: str, shape: collections.abc.Sequence[int]) "
                   "-> object"),
           "A new contiguous array, uninitialised, that other libraries can take over by DLPack.");
  bind_streams(library);
  bind_graphs(library);
  bind_simulator(library);
}

}  // namespace camp::python
