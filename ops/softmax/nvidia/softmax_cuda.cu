// softmax_cuda.cu: the softmax operator behind the C ABI; the kernel itself is in kernel.cuh.
#include "operator_runtime/ops/softmax.h"

#include "common/operator.hpp"
#include CAMP_KERNEL_HEADER

namespace {

struct Softmax {
  static constexpr char name[] = "softmax";
  static constexpr camp_tensor_spec_t tensors[] = {{"y", CAMP_ROLE_OUTPUT}, {"x", CAMP_ROLE_INPUT}};

  camp_dtype_t dtype;
  int64_t rows;
  int64_t cols;

  static Softmax create(const camp::Tensor *t, const camp_attribute_value_t *) {
    const camp::Tensor &y = t[0], &x = t[1];
    camp::require_dtype(x, {CAMP_DTYPE_F32, CAMP_DTYPE_F16, CAMP_DTYPE_BF16});
    camp::require_same_dtype(y, x);
    camp::require_same_shape(y, x);
    if (x.rank() == 0) {
      throw camp::Error(CAMP_STATUS_SHAPE_MISMATCH,
                        "softmax runs over the last axis, and a tensor of rank 0 has none");
    }
    camp::require_contiguous(y);
    camp::require_contiguous(x);
    const int64_t cols = x.shape(x.rank() - 1);
    // Without columns there is nothing to write, however many rows there are.
    return Softmax{x.dtype(), cols == 0 ? 0 : x.elements() / cols, cols};
  }

  void launch(const camp::LaunchArguments &args) const {
    camp::dispatch_float(dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      launch_softmax<T>(args.pointer<T>(0), args.pointer<const T>(1), rows, cols, args.stream);
    });
  }
};

}  // namespace

CAMP_DEFINE_OPERATOR(softmax, Softmax);

camp_status_t camp_softmax_create(camp_operator_t **op, const camp_handle_t *handle,
                                  const camp_tensor_descriptor_t *y,
                                  const camp_tensor_descriptor_t *x) {
  return camp::create<Softmax>(handle, {y, x}, {}, op);
}

camp_status_t camp_softmax_execute(const camp_operator_t *op, void *workspace,
                                   size_t workspace_bytes, void *y, const void *x) {
  return camp::execute<Softmax>(op, workspace, workspace_bytes, {y, x});
}
