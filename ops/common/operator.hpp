// operator.hpp: everything of an operator but its kernel and its rules; for <op>_cuda.cu.
//
//   struct Softmax {
//     static constexpr char name[] = "softmax";
//     static constexpr camp_tensor_spec_t tensors[] = {{"y", CAMP_ROLE_OUTPUT},
//                                                      {"x", CAMP_ROLE_INPUT}};
//     // Optional: static constexpr camp_attribute_spec_t attributes[] = {...};
//     // Validates and captures; throws camp::Error. tensors[i] is valid during the call only.
//     static Softmax create(const camp::Tensor *tensors, const camp_attribute_value_t *attributes);
//     size_t workspace_bytes() const;  // optional; 0 without it
//     static constexpr bool may_alias = true;  // optional; outputs may be the memory of inputs
//     void launch(const camp::LaunchArguments &args) const;  // only launches; may run concurrently
//   };
//   CAMP_DEFINE_OPERATOR(softmax, Softmax);  // exports camp_softmax_vtable
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

#include "operator_runtime/extension.hpp"

namespace camp {

// What launch gets. The pointers were checked at execute: not null (but for a tensor without
// elements) and aligned to the element, no more.
struct LaunchArguments {
  const void *const *pointers;
  void *workspace;
  size_t workspace_bytes;
  cudaStream_t stream;

  // The tensor `index` in the operator's order; T may be const.
  template <typename T>
  T *pointer(size_t index) const {
    return static_cast<T *>(const_cast<void *>(pointers[index]));
  }
};

// ---- dispatch: from a dtype to a type -----------------------------------------------------------

// Carries a type as a value: `[](auto t) { using T = typename decltype(t)::type; ... }`.
template <typename T>
struct Type {
  using type = T;
};

// Calls f(Type<T>{}) with T = float, __half or __nv_bfloat16; throws UNSUPPORTED_DTYPE otherwise.
template <typename F>
void dispatch_float(camp_dtype_t dtype, F &&f) {
  switch (dtype) {
    case CAMP_DTYPE_F32:
      f(Type<float>{});
      return;
    case CAMP_DTYPE_F16:
      f(Type<__half>{});
      return;
    case CAMP_DTYPE_BF16:
      f(Type<__nv_bfloat16>{});
      return;
    default:
      break;
  }
  throw_error(CAMP_STATUS_UNSUPPORTED_DTYPE, "dtype %s is not one of f32, f16, bf16",
              camp_dtype_name(dtype));
}

// Calls f(Type<T>{}) with the unsigned T of the dtype's size: uint8_t, uint16_t, uint32_t or
// uint64_t.
template <typename F>
void dispatch_size(camp_dtype_t dtype, F &&f) {
  switch (camp_dtype_bytes(dtype)) {
    case 1:
      f(Type<uint8_t>{});
      return;
    case 2:
      f(Type<uint16_t>{});
      return;
    case 4:
      f(Type<uint32_t>{});
      return;
    case 8:
      f(Type<uint64_t>{});
      return;
    default:
      break;
  }
  throw_error(CAMP_STATUS_UNSUPPORTED_DTYPE, "dtype %d has no size", static_cast<int>(dtype));
}

// ---- attributes ---------------------------------------------------------------------------------

inline camp_attribute_value_t attribute_f64(double value) {
  camp_attribute_value_t result;
  result.f64 = value;
  return result;
}

inline camp_attribute_value_t attribute_i64(int64_t value) {
  camp_attribute_value_t result;
  result.i64 = value;
  return result;
}

// ---- from an operator struct to the runtime's tables --------------------------------------------

namespace detail {

template <typename Op, typename = void>
struct Attributes {
  static constexpr size_t count = 0;
  static constexpr const camp_attribute_spec_t *specs = nullptr;
};
template <typename Op>
struct Attributes<Op, std::void_t<decltype(Op::attributes)>> {
  static constexpr size_t count = std::extent_v<decltype(Op::attributes)>;
  static constexpr const camp_attribute_spec_t *specs = Op::attributes;
};

template <typename Op, typename = void>
struct Workspace {
  static size_t bytes(const Op &) { return 0; }
};
template <typename Op>
struct Workspace<Op, std::void_t<decltype(std::declval<const Op &>().workspace_bytes())>> {
  static size_t bytes(const Op &op) { return op.workspace_bytes(); }
};

template <typename Op, typename = void>
struct MayAlias : std::false_type {};
template <typename Op>
struct MayAlias<Op, std::void_t<decltype(Op::may_alias)>>
    : std::integral_constant<bool, Op::may_alias> {};

// Makes `device` current for a scope, at the cost of one query when it already is.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) : error_(cudaGetDevice(&previous_)) {
    changed_ = error_ == cudaSuccess && previous_ != device;
    if (changed_) error_ = cudaSetDevice(device);
  }
  ~CurrentDevice() {
    if (changed_) (void)cudaSetDevice(previous_);
  }
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;

  cudaError_t error() const { return error_; }

 private:
  int previous_ = 0;
  bool changed_ = false;
  cudaError_t error_;
};

template <typename Op>
camp_status_t create_state(void *state, int device, const Tensor *tensors,
                           const camp_attribute_value_t *attributes,
                           size_t *workspace_bytes) noexcept {
  try {
    const CurrentDevice current(device);
    if (current.error() != cudaSuccess) {
      throw_error(CAMP_STATUS_DEVICE_ERROR, "device %d cannot be made current: %s", device,
                  cudaGetErrorString(current.error()));
    }
    Op op = Op::create(tensors, attributes);
    *workspace_bytes = Workspace<Op>::bytes(op);
    new (state) Op(std::move(op));
    return CAMP_STATUS_SUCCESS;
  } catch (...) {
    return current_exception_status(Op::name);
  }
}

template <typename Op>
void destroy_state(void *state) noexcept {
  static_cast<Op *>(state)->~Op();
}

template <typename Op>
camp_status_t launch_state(const void *state, const LaunchContext &context,
                           DeviceError *error) noexcept {
  try {
    const CurrentDevice current(context.device);
    cudaError_t code = current.error();
    if (code == cudaSuccess) {
      (void)cudaGetLastError();  // an error left by others is not this launch's
      static_cast<const Op *>(state)->launch(
          LaunchArguments{context.pointers, context.workspace, context.workspace_bytes,
                          static_cast<cudaStream_t>(context.stream)});
      code = cudaPeekAtLastError();
    }
    if (code != cudaSuccess) {
      *error = {static_cast<int>(code), cudaGetErrorName(code), cudaGetErrorString(code)};
    }
    return CAMP_STATUS_SUCCESS;
  } catch (...) {
    return current_exception_status(Op::name);
  }
}

template <typename Op>
struct Definition {
  static constexpr size_t tensor_count = std::extent_v<decltype(Op::tensors)>;
  static_assert(tensor_count <= CAMP_MAX_TENSORS, "more tensors than CAMP_MAX_TENSORS");
  static_assert(Attributes<Op>::count <= CAMP_MAX_ATTRIBUTES,
                "more attributes than CAMP_MAX_ATTRIBUTES");

  static constexpr OperatorInfo info = {CAMP_ABI_VERSION,
                                        Op::name,
                                        tensor_count,
                                        Op::tensors,
                                        Attributes<Op>::count,
                                        Attributes<Op>::specs,
                                        sizeof(Op),
                                        alignof(Op),
                                        MayAlias<Op>::value,
                                        &create_state<Op>,
                                        &destroy_state<Op>,
                                        &launch_state<Op>};

  static camp_status_t create(camp_operator_t **op, const camp_handle_t *handle,
                              const camp_tensor_descriptor_t *const *tensors,
                              const camp_attribute_value_t *attributes) {
    return operator_create(info, handle, tensors, attributes, op);
  }
  static camp_status_t execute(const camp_operator_t *op, void *workspace, size_t workspace_bytes,
                               void *const *pointers) {
    return operator_execute(info, op, workspace, workspace_bytes, pointers);
  }
  static constexpr camp_operator_vtable_t vtable = {
      CAMP_ABI_VERSION,      Op::name, tensor_count, Op::tensors, Attributes<Op>::count,
      Attributes<Op>::specs, &create,  &execute};
};

}  // namespace detail

// The body of camp_<op>_create: descriptors in the operator's order; no attributes: the defaults.
template <typename Op>
camp_status_t create(const camp_handle_t *handle,
                     std::initializer_list<const camp_tensor_descriptor_t *> tensors,
                     std::initializer_list<camp_attribute_value_t> attributes,
                     camp_operator_t **op) {
  using Definition = detail::Definition<Op>;
  if (tensors.size() != Definition::tensor_count ||
      (attributes.size() != 0 && attributes.size() != Definition::info.attribute_count)) {
    return fail(CAMP_STATUS_INTERNAL, "%s: create passes %zu tensors and %zu attributes", Op::name,
                tensors.size(), attributes.size());
  }
  return operator_create(Definition::info, handle, tensors.begin(),
                         attributes.size() == 0 ? nullptr : attributes.begin(), op);
}

// The body of camp_<op>_execute: device pointers in the operator's order.
template <typename Op>
camp_status_t execute(const camp_operator_t *op, void *workspace, size_t workspace_bytes,
                      std::initializer_list<const void *> pointers) {
  using Definition = detail::Definition<Op>;
  if (pointers.size() != Definition::tensor_count) {
    return fail(CAMP_STATUS_INTERNAL, "%s: execute passes %zu tensors", Op::name, pointers.size());
  }
  return operator_execute(Definition::info, op, workspace, workspace_bytes, pointers.begin());
}

}  // namespace camp

// Exports `camp_<id>_vtable`, by which the operator is found in its library.
#define CAMP_DEFINE_OPERATOR(id, Op)                                                             \
  extern "C" {                                                                                   \
  extern __attribute__((visibility("default"))) const camp_operator_vtable_t camp_##id##_vtable; \
  const camp_operator_vtable_t camp_##id##_vtable = ::camp::detail::Definition<Op>::vtable;      \
  }                                                                                              \
  static_assert(true, "swallows the semicolon")
