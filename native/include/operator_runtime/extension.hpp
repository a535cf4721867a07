// extension.hpp: the C++ side of the runtime, which operator libraries are written against.
//
// Operators include ops/common/operator.hpp, which builds on this; C programs and bindings use the
// C headers alone. All functions but the inline ones live in the runtime library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <new>

#include "operator_runtime/operator.h"

#define CAMP_EXTENSION_API __attribute__((visibility("default")))

namespace camp {

// ---- errors -------------------------------------------------------------------------------------

// The one exception of Camp: a status and one sentence. The C ABI turns it into both.
class CAMP_EXTENSION_API Error : public std::exception {
 public:
  Error(camp_status_t status, const char *message) noexcept;
  Error(const Error &) noexcept = default;
  Error &operator=(const Error &) noexcept = default;
  ~Error() override;
  const char *what() const noexcept override;
  camp_status_t status() const noexcept { return status_; }

 private:
  camp_status_t status_;
  char message_[500];  // held inline, so that copying an error cannot fail
};

// Sets this thread's last error message, printf style, and returns `status`.
CAMP_EXTENSION_API camp_status_t fail(camp_status_t status, const char *format, ...) noexcept
    __attribute__((format(printf, 2, 3)));

// Throws an Error with a printf-style message.
[[noreturn]] CAMP_EXTENSION_API void throw_error(camp_status_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// For use inside a `catch (...)`: the status of the exception in flight, its message made the last
// error with "<context>: " in front (unless context is null). Inline, since rethrowing works only
// in the library that caught: two that each link libstdc++ statically know nothing of each other's
// exceptions in flight.
inline camp_status_t current_exception_status(const char *context) noexcept {
  const char *prefix = context == nullptr ? "" : context;
  const char *separator = context == nullptr ? "" : ": ";
  try {
    throw;
  } catch (const Error &error) {
    return fail(error.status(), "%s%s%s", prefix, separator, error.what());
  } catch (const std::bad_alloc &) {
    return fail(CAMP_STATUS_OUT_OF_MEMORY, "%s%shost memory is exhausted", prefix, separator);
  } catch (const std::exception &error) {
    return fail(CAMP_STATUS_INTERNAL, "%s%s%s", prefix, separator, error.what());
  } catch (...) {
    return fail(CAMP_STATUS_INTERNAL, "%s%san exception of unknown type", prefix, separator);
  }
}

// Runs `body`, which returns a status, and lets no exception out: the boundary of the C ABI.
template <typename Body>
camp_status_t guarded(Body &&body) noexcept {
  try {
    return body();
  } catch (...) {
    return current_exception_status(nullptr);
  }
}

// ---- tensors ------------------------------------------------------------------------------------

// Shape, strides and what follows from them; every product below was checked against 64 bits.
struct Layout {
  camp_dtype_t dtype;
  size_t rank;
  int64_t shape[CAMP_MAX_RANK];
  int64_t strides[CAMP_MAX_RANK];  // in elements
  int64_t elements;                // product of the shape; 1 for rank 0
  int64_t extent_bytes;            // from the first to past the last element; 0 without elements
  size_t element_bytes;
  bool contiguous;  // row-major; axes of one element may have any stride
};

// A tensor as an operator's create sees it. Valid during that call only.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Layout *layout, const char *name) : layout_(layout), name_(name) {}

  const char *name() const { return name_; }
  camp_dtype_t dtype() const { return layout_->dtype; }
  size_t rank() const { return layout_->rank; }
  int64_t shape(size_t axis) const { return layout_->shape[checked(axis)]; }
  int64_t stride(size_t axis) const { return layout_->strides[checked(axis)]; }
  int64_t elements() const { return layout_->elements; }
  bool is_contiguous() const { return layout_->contiguous; }
  int64_t extent_bytes() const { return layout_->extent_bytes; }
  size_t element_bytes() const { return layout_->element_bytes; }

 private:
  size_t checked(size_t axis) const {
    if (axis >= layout_->rank) {
      throw_error(CAMP_STATUS_INTERNAL, "axis %zu of tensor %s of rank %zu", axis, name_,
                  layout_->rank);
    }
    return axis;
  }

  const Layout *layout_ = nullptr;
  const char *name_ = nullptr;
};

// Checks for an operator's create. Each throws an Error that names the tensors and values at fault.
// UNSUPPORTED_DTYPE unless the tensor's dtype is one of `allowed`.
CAMP_EXTENSION_API void require_dtype(const Tensor &tensor,
                                      std::initializer_list<camp_dtype_t> allowed);
// UNSUPPORTED_DTYPE unless both have the same dtype.
CAMP_EXTENSION_API void require_same_dtype(const Tensor &a, const Tensor &b);
// SHAPE_MISMATCH unless both have the same rank and extents.
CAMP_EXTENSION_API void require_same_shape(const Tensor &a, const Tensor &b);
// SHAPE_MISMATCH unless minimum <= rank <= maximum.
CAMP_EXTENSION_API void require_rank(const Tensor &tensor, size_t minimum,
                                     size_t maximum = CAMP_MAX_RANK);
// UNSUPPORTED_LAYOUT unless the tensor is row-major contiguous.
CAMP_EXTENSION_API void require_contiguous(const Tensor &tensor);
// The shape as text, such as "(2, 3)". Not a std::string: <string> alone is a tenth of what
// compiling an operator takes.
struct ShapeText {
  char text[CAMP_MAX_RANK * 22 + 3];
  const char *c_str() const { return text; }
};
CAMP_EXTENSION_API ShapeText shape_text(const Tensor &tensor);

// ---- operators ----------------------------------------------------------------------------------

// What the runtime hands to one launch.
struct LaunchContext {
  const void *const *pointers;  // one a tensor, in the operator's order
  void *workspace;              // zeros before the first launch, then what the last one left
  size_t workspace_bytes;       // exactly what the operator asked for at create
  int device;
  camp_stream_t stream;
};

// What the device runtime linked into the operator's library says after the launch; code 0 is
// success. Every library links its own, so the runtime cannot ask for it.
struct DeviceError {
  int code;
  const char *name;
  const char *text;
};

// One operator as its library describes it; its address is the operator's identity. The functions
// let no exception out; they set the message when they fail.
struct OperatorInfo {
  uint32_t abi_version;
  const char *name;
  size_t tensor_count;
  const camp_tensor_spec_t *tensors;
  size_t attribute_count;
  const camp_attribute_spec_t *attributes;
  size_t state_bytes;
  size_t state_alignment;
  bool may_alias;  // outputs may be the memory of inputs
  // Constructs the state at `state` (raw memory), with `device` current, and gives the workspace it
  // needs.
  camp_status_t (*create)(void *state, int device, const Tensor *tensors,
                          const camp_attribute_value_t *attributes, size_t *workspace_bytes);
  void (*destroy)(void *state);
  camp_status_t (*launch)(const void *state, const LaunchContext &context, DeviceError *error);
};

// attributes: null or `attribute_count` values.
CAMP_EXTENSION_API camp_status_t operator_create(const OperatorInfo &info,
                                                 const camp_handle_t *handle,
                                                 const camp_tensor_descriptor_t *const *tensors,
                                                 const camp_attribute_value_t *attributes,
                                                 camp_operator_t **op) noexcept;

CAMP_EXTENSION_API camp_status_t operator_execute(const OperatorInfo &info,
                                                  const camp_operator_t *op, void *workspace,
                                                  size_t workspace_bytes,
                                                  const void *const *pointers) noexcept;

}  // namespace camp
