// prepared.hpp: one operator created for given arrays, ready to be executed any number of times.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "tensor.hpp"

namespace camp::python {

using Execute = decltype(camp_operator_vtable_t::execute);

// Owns the C operator and, unless the caller brings one, its workspace; refers to the arrays.
class Prepared {
 public:
  Prepared(LibraryPointer library, Execute function, camp_operator_t *op,
           std::vector<Tensor> tensors, int device, camp_stream_t stream);
  ~Prepared();
  Prepared(const Prepared &) = delete;
  Prepared &operator=(const Prepared &) = delete;

  void execute() const;  // releases the GIL; throws StatusError
  // The same on other memory of the same kind: `pointers`, one an array.
  void execute_on(void *const *pointers) const;
  // Lets go of the arrays; only execute_on is allowed from here on.
  void forget_arrays();
  // Nanoseconds of one call of the C function, averaged over `count` calls in a row.
  double direct_ns(int64_t count) const;

  void allocate_workspace();
  void bind_workspace(uintptr_t pointer, size_t bytes, nanobind::object owner);
  size_t workspace_bytes() const { return workspace_bytes_; }
  int device() const { return device_; }
  uintptr_t stream() const { return reinterpret_cast<uintptr_t>(stream_); }

 private:
  camp_status_t call() const { return call_on(pointers_.data()); }
  camp_status_t call_on(void *const *pointers) const {
    return function_(op_, workspace_, bound_bytes_, pointers);
  }
  void free_workspace();

  LibraryPointer library_;
  Execute function_;
  camp_operator_t *op_;
  std::array<void *, CAMP_MAX_TENSORS> pointers_{};
  void *workspace_ = nullptr;
  size_t bound_bytes_ = 0;
  size_t workspace_bytes_ = 0;
  bool owns_workspace_ = false;
  int device_;
  camp_stream_t stream_;
  std::vector<Tensor> tensors_;
  nanobind::object workspace_owner_;
};

}  // namespace camp::python
