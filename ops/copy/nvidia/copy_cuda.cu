// copy_cuda.cu: the copy operator behind the C ABI; the kernel itself is in kernel.cuh.
#include "operator_runtime/ops/copy.h"

#include "common/operator.hpp"
#include CAMP_KERNEL_HEADER

namespace {

struct Copy {
  static constexpr char name[] = "copy";
  static constexpr camp_tensor_spec_t tensors[] = {{"y", CAMP_ROLE_OUTPUT}, {"x", CAMP_ROLE_INPUT}};

  camp_dtype_t dtype;
  int64_t n;

  static Copy create(const camp::Tensor *t, const camp_attribute_value_t *) {
    const camp::Tensor &y = t[0], &x = t[1];
    camp::require_same_dtype(y, x);
    camp::require_same_shape(y, x);
    camp::require_contiguous(y);
    camp::require_contiguous(x);
    return Copy{y.dtype(), y.elements()};
  }

  void launch(const camp::LaunchArguments &args) const {
    // The kernel moves bits, so one unsigned type a size serves every dtype.
    camp::dispatch_size(dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      launch_copy<T>(args.pointer<T>(0), args.pointer<const T>(1), n, args.stream);
    });
  }
};

}  // namespace

CAMP_DEFINE_OPERATOR(copy, Copy);

camp_status_t camp_copy_create(camp_operator_t **op, const camp_handle_t *handle,
                               const camp_tensor_descriptor_t *y,
                               const camp_tensor_descriptor_t *x) {
  return camp::create<Copy>(handle, {y, x}, {}, op);
}

camp_status_t camp_copy_execute(const camp_operator_t *op, void *workspace, size_t workspace_bytes,
                                void *y, const void *x) {
  return camp::execute<Copy>(op, workspace, workspace_bytes, {y, x});
}
