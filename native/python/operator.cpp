// operator.cpp: an operator's library, what it says of itself, and preparing it for arrays.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "calls.hpp"
#include "prepared.hpp"

namespace nb = nanobind;

namespace camp::python {
namespace {

class Operator {
 public:
  Operator(LibraryPointer library, const std::string &path, const std::string &name);

  std::unique_ptr<Prepared> prepare(int device, uintptr_t stream, nb::sequence arrays,
                                    nb::sequence attributes, bool workspace) const;
  nb::object calls(nb::object type, nb::handle exchange, nb::object capturing,
                   nb::object empty) const;
  nb::list tensors() const;
  nb::list attributes() const;
  const char *name() const { return vtable_->name; }
  const std::string &path() const { return object_.path(); }

 private:
  std::vector<Tensor> collect(const nb::sequence &arrays, int device) const;
  std::vector<camp_attribute_value_t> values(const nb::sequence &attributes) const;
  void check_place(const Tensor &tensor, size_t index, int device) const;
  std::string label(size_t index) const;

  LibraryPointer library_;
  SharedObject object_;
  const camp_operator_vtable_t *vtable_;
};

Operator::Operator(LibraryPointer library, const std::string &path, const std::string &name)
    : library_(std::move(library)), object_(path) {
  vtable_ = static_cast<const camp_operator_vtable_t *>(
      object_.require(("camp_" + name + "_vtable").c_str()));
  require_abi(vtable_->abi_version, path);
  // An operator that found another runtime already loaded under the same name would keep its state
  // and its errors there, out of sight of this one.
  if (object_.find("camp_abi_version") != reinterpret_cast<void *>(library_->abi_version)) {
    throw LoadError(path + " uses another runtime than " + library_->object().path() +
                    ", which this process loaded first; use one build directory per process");
  }
}

std::string Operator::label(size_t index) const {
  return std::string(vtable_->name) + ": " + vtable_->tensors[index].name;
}

void Operator::check_place(const Tensor &tensor, size_t index, int device) const {
  if (tensor.place == Place::kUnknown) return;
  const bool host = tensor.place == Place::kHost || tensor.place == Place::kCudaHost;
  const bool cuda = tensor.place == Place::kCuda || tensor.place == Place::kCudaManaged;
  if (library_->is_sim()) {
    if (host) return;
    throw invalid_argument(label(index) +
                           " lies on a GPU, and the sim backend works on host memory; pass "
                           "a numpy array or use the nvidia backend");
  }
  if (!cuda) {
    throw invalid_argument(label(index) +
                           " lies in host memory, and the nvidia backend works on a GPU; "
                           "pass a CUDA tensor (torch, CuPy, JAX) or use the sim backend");
  }
  if (tensor.device != device) {
    throw invalid_argument(label(index) + " lies on device " + std::to_string(tensor.device) +
                           ", and this call is for device " + std::to_string(device));
  }
}

std::vector<Tensor> Operator::collect(const nb::sequence &arrays, int device) const {
  std::vector<Tensor> tensors;
  tensors.reserve(vtable_->tensor_count);
  for (nb::handle array : arrays)
    tensors.push_back(Tensor::from_any(array));
  if (tensors.size() != vtable_->tensor_count) {
    throw invalid_argument(std::string(vtable_->name) + " takes " +
                           std::to_string(vtable_->tensor_count) + " arrays, not " +
                           std::to_string(tensors.size()));
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    check_place(tensors[i], i, device);
    if (vtable_->tensors[i].role == CAMP_ROLE_OUTPUT && !tensors[i].writable) {
      throw invalid_argument(label(i) + " is read-only, and an output is written to");
    }
  }
  return tensors;
}

std::vector<camp_attribute_value_t> Operator::values(const nb::sequence &attributes) const {
  std::vector<camp_attribute_value_t> values;
  for (nb::handle attribute : attributes) {
    if (values.size() >= vtable_->attribute_count) {
      throw invalid_argument(std::string(vtable_->name) + " takes " +
                             std::to_string(vtable_->attribute_count) + " attributes");
    }
    camp_attribute_value_t value;
    if (vtable_->attributes[values.size()].type == CAMP_ATTRIBUTE_F64) {
      value.f64 = nb::cast<double>(attribute);
    } else {
      value.i64 = nb::cast<int64_t>(attribute);
    }
    values.push_back(value);
  }
  // What the caller left out takes its default.
  for (size_t i = values.size(); i < vtable_->attribute_count; ++i)
    values.push_back(vtable_->attributes[i].default_value);
  return values;
}

// Destroys what create needed only during the call, whatever way the call ends.
class Creation {
 public:
  Creation(const Library &library, int device, camp_stream_t stream) : library_(library) {
    library_.check(library_.handle_create(&handle_, device, stream));
  }
  ~Creation() {
    for (size_t i = 0; i < count_; ++i)
      library_.tensor_descriptor_destroy(descriptors_[i]);
    library_.handle_destroy(handle_);
  }
  Creation(const Creation &) = delete;
  Creation &operator=(const Creation &) = delete;

  void add(const Tensor &tensor) {
    library_.check(library_.tensor_descriptor_create(&descriptors_[count_], tensor.dtype,
                                                     tensor.rank, tensor.shape.data(),
                                                     tensor.strides.data()));
    ++count_;
  }
  camp_operator_t *create(const camp_operator_vtable_t &vtable,
                          const camp_attribute_value_t *attributes) const {
    camp_operator_t *op = nullptr;
    library_.check(vtable.create(&op, handle_, descriptors_.data(), attributes));
    return op;
  }

 private:
  const Library &library_;
  camp_handle_t *handle_ = nullptr;
  std::array<camp_tensor_descriptor_t *, CAMP_MAX_TENSORS> descriptors_{};
  size_t count_ = 0;
};

std::unique_ptr<Prepared> Operator::prepare(int device, uintptr_t stream, nb::sequence arrays,
                                            nb::sequence attributes, bool workspace) const {
  std::vector<Tensor> tensors = collect(arrays, device);
  const std::vector<camp_attribute_value_t> given = values(attributes);
  const auto native_stream = reinterpret_cast<camp_stream_t>(stream);
  Creation creation(*library_, device, native_stream);
  for (size_t i = 0; i < tensors.size(); ++i) {
    try {
      creation.add(tensors[i]);
    } catch (const StatusError &error) {  // its message knows no name
      throw StatusError(error.status(), label(i) + ": " + error.what());
    }
  }
  camp_operator_t *op = creation.create(*vtable_, given.data());
  auto prepared = std::make_unique<Prepared>(library_, vtable_->execute, op, std::move(tensors),
                                             device, native_stream);
  if (workspace) prepared->allocate_workspace();
  return prepared;
}

nb::object Operator::calls(nb::object type, nb::handle exchange, nb::object capturing,
                           nb::object empty) const {
  const ExchangeApi *api = exchange_api(exchange);
  if (api == nullptr) return nb::none();
  return nb::cast(std::make_unique<Calls>(
      *vtable_, ArrayLibrary{api, std::move(type), std::move(capturing), std::move(empty)}));
}

nb::list Operator::tensors() const {
  nb::list list;
  for (size_t i = 0; i < vtable_->tensor_count; ++i) {
    const camp_tensor_spec_t &spec = vtable_->tensors[i];
    list.append(nb::make_tuple(spec.name, spec.role == CAMP_ROLE_OUTPUT ? "output" : "input"));
  }
  return list;
}

nb::list Operator::attributes() const {
  nb::list list;
  for (size_t i = 0; i < vtable_->attribute_count; ++i) {
    const camp_attribute_spec_t &spec = vtable_->attributes[i];
    if (spec.type == CAMP_ATTRIBUTE_F64) {
      list.append(nb::make_tuple(spec.name, "f64", spec.default_value.f64));
    } else {
      list.append(nb::make_tuple(spec.name, "i64", spec.default_value.i64));
    }
  }
  return list;
}

}  // namespace

void bind_operator(nb::module_ &module) {
  nb::class_<Operator>(module, "Operator", "One operator of one library.")
      .def(nb::init<LibraryPointer, const std::string &, const std::string &>(), nb::arg("library"),
           nb::arg("path"), nb::arg("name"),
           "Loads `camp_<name>_vtable` from the library at `path`.\n\n"
           "Raises LibraryLoadError, also for another ABI version or another runtime.")
      .def("prepare", &Operator::prepare, nb::arg("device"), nb::arg("stream"), nb::arg("tensors"),
           nb::arg("attributes") = nb::tuple(), nb::arg("workspace") = true,
           nb::sig("def prepare(self, device: int, stream: int, tensors: "
                   "collections.abc.Sequence[object], "
                   "attributes: collections.abc.Sequence[float | int] = (), workspace: bool = "
                   "True) -> Prepared"),
           "Creates the operator for arrays given in the order of `tensors`.\n\n"
           "Each is a Tensor, an array, or (pointer, dtype, shape[, strides in elements]).\n"
           "Attributes left out take their defaults. With `workspace` false the caller binds one.\n"
           "Raises ShapeError, DTypeError, InvalidArgumentError (layout, device, a read-only\n"
           "output), NoDeviceError or OutOfDeviceMemoryError.")
      .def("calls", &Operator::calls, nb::arg("type"), nb::arg("exchange").none(),
           nb::arg("capturing").none() = nb::none(), nb::arg("empty").none() = nb::none(),
           nb::sig("def calls(self, type: type, exchange: object, "
                   "capturing: collections.abc.Callable[[], bool] | None = None, "
                   "empty: collections.abc.Callable[[tuple[int, ...], tuple[int, ...], object], "
                   "object] | None = None) -> Calls | None"),
           "An empty store of operators for eager calls on arrays of exactly `type`.\n\n"
           "`exchange` is the capsule that DLPack's __dlpack_c_exchange_api__ gives; None without "
           "one.\n"
           "The arrays have requires_grad and is_neg() as torch's do. `capturing` tells whether "
           "the\n"
           "current stream records a graph; `empty` makes an array on the only GPU from shape,\n"
           "strides and dtype.")
      .def_prop_ro("name", &Operator::name)
      .def_prop_ro("path", &Operator::path)
      .def_prop_ro("tensors", &Operator::tensors,
                   nb::sig("def tensors(self) -> list[tuple[str, str]]"),
                   "(name, \"input\" or \"output\") in the order of the C functions.")
      .def_prop_ro("attributes", &Operator::attributes,
                   nb::sig("def attributes(self) -> list[tuple[str, str, float | int]]"),
                   "(name, \"f64\" or \"i64\", default) in the order of the C functions.");
}

}  // namespace camp::python
