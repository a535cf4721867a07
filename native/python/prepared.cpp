// prepared.cpp: executes a prepared operator and keeps alive what its raw pointers need.
#include "prepared.hpp"

#include <chrono>

namespace nb = nanobind;

namespace camp::python {

Prepared::Prepared(LibraryPointer library, Execute function, camp_operator_t *op,
                   std::vector<Tensor> tensors, int device, camp_stream_t stream)
    : library_(std::move(library)),
      function_(function),
      op_(op),
      device_(device),
      stream_(stream),
      tensors_(std::move(tensors)) {
  for (size_t i = 0; i < tensors_.size(); ++i)
    pointers_[i] = tensors_[i].pointer;
  library_->operator_workspace_bytes(op_, &workspace_bytes_);
}

Prepared::~Prepared() {
  free_workspace();
  library_->operator_destroy(op_);
}

void Prepared::free_workspace() {
  if (owns_workspace_) library_->memory_free(device_, workspace_);
  owns_workspace_ = false;
  workspace_ = nullptr;
  bound_bytes_ = 0;
}

void Prepared::allocate_workspace() {
  free_workspace();
  if (workspace_bytes_ == 0) return;
  library_->check(library_->memory_alloc(device_, workspace_bytes_, &workspace_));
  bound_bytes_ = workspace_bytes_;
  owns_workspace_ = true;
  library_->check(library_->memory_set(workspace_, 0, workspace_bytes_, stream_));
}

void Prepared::bind_workspace(uintptr_t pointer, size_t bytes, nb::object owner) {
  free_workspace();
  workspace_ = reinterpret_cast<void *>(pointer);
  bound_bytes_ = bytes;
  workspace_owner_ = std::move(owner);
}

void Prepared::execute() const {
  execute_on(pointers_.data());
}

void Prepared::execute_on(void *const *pointers) const {
  camp_status_t status;
  {
    nb::gil_scoped_release release;
    status = call_on(pointers);
  }
  library_->check(status);
}

void Prepared::forget_arrays() {
  tensors_.clear();
  pointers_.fill(nullptr);
}

double Prepared::direct_ns(int64_t count) const {
  if (count < 1) throw invalid_argument("count must be at least 1");
  camp_status_t status = CAMP_STATUS_SUCCESS;
  nb::gil_scoped_release release;
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < count && status == CAMP_STATUS_SUCCESS; ++i)
    status = call();
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  library_->check(status);
  return spent.count() / static_cast<double>(count);
}

void bind_prepared(nb::module_ &module) {
  nb::class_<Prepared>(module, "Prepared",
                       "An operator created for given arrays. Calling it launches and returns.\n\n"
                       "It keeps the arrays and the workspace alive. On `nvidia` the launch is "
                       "asynchronous on the\nstream that was given; on `sim` the kernel has "
                       "finished when the call returns.")
      .def("__call__", &Prepared::execute,
           "Executes the operator. The GIL is released meanwhile.\n\n"
           "Raises KernelFault, LaunchError, WorkspaceTooSmallError or DeviceError.")
      .def("allocate_workspace", &Prepared::allocate_workspace,
           "Allocates the workspace, full of zeros; it is freed with this object.\n\n"
           "Raises OutOfDeviceMemoryError.")
      .def("bind_workspace", &Prepared::bind_workspace, nb::arg("pointer"), nb::arg("bytes"),
           nb::arg("owner") = nb::none(),
           nb::sig("def bind_workspace(self, pointer: int, bytes: int, owner: object | None = None)"
                   " -> None"),
           "Uses device memory of the caller's, aligned to 256, full of zeros and this object's "
           "from\n"
           "now on; `owner` is kept alive.")
      .def("direct_ns", &Prepared::direct_ns, nb::arg("count"),
           "Nanoseconds of one call of the C function, averaged over `count` calls made in C++.\n\n"
           "What a Python call costs on top is the difference to a timed loop over the object.")
      .def_prop_ro("workspace_bytes", &Prepared::workspace_bytes,
                   "Bytes of device memory that a call needs.")
      .def_prop_ro("device", &Prepared::device)
      .def_prop_ro("stream", &Prepared::stream);
}

}  // namespace camp::python
