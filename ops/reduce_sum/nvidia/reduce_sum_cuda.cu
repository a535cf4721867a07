// reduce_sum_cuda.cu: the reduce_sum operator behind the C ABI; the kernel itself is in kernel.cuh.
#include "operator_runtime/ops/reduce_sum.h"

#include "common/operator.hpp"
#include CAMP_KERNEL_HEADER

namespace {

struct ReduceSum {
  static constexpr char name[] = "reduce_sum";
  static constexpr camp_tensor_spec_t tensors[] = {{"y", CAMP_ROLE_OUTPUT}, {"x", CAMP_ROLE_INPUT}};

  camp_dtype_t dtype;
  int64_t rows;
  int64_t cols;

  static ReduceSum create(const camp::Tensor *t, const camp_attribute_value_t *) {
    const camp::Tensor &y = t[0], &x = t[1];
    camp::require_dtype(x, {CAMP_DTYPE_F32, CAMP_DTYPE_F16, CAMP_DTYPE_BF16});
    camp::require_same_dtype(y, x);
    camp::require_contiguous(y);
    camp::require_contiguous(x);
    if (y.rank() == 0) return ReduceSum{x.dtype(), 1, x.elements()};
    if (y.rank() + 1 != x.rank()) {
      camp::throw_error(CAMP_STATUS_SHAPE_MISMATCH,
                        "y must have the axes of x without its last one, or none (sum of all): x "
                        "has rank %zu, y has rank %zu",
                        x.rank(), y.rank());
    }
    for (size_t axis = 0; axis < y.rank(); ++axis) {
      if (y.shape(axis) != x.shape(axis)) {
        camp::throw_error(CAMP_STATUS_SHAPE_MISMATCH,
                          "y must have the axes of x without its last one: axis %zu is %lld in y "
                          "and %lld in x",
                          axis, static_cast<long long>(y.shape(axis)),
                          static_cast<long long>(x.shape(axis)));
      }
    }
    return ReduceSum{x.dtype(), y.elements(), x.shape(x.rank() - 1)};
  }

  size_t workspace_bytes() const { return reduce_sum_workspace_bytes(rows, cols); }

  void launch(const camp::LaunchArguments &args) const {
    camp::dispatch_float(dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      launch_reduce_sum<T>(args.pointer<T>(0), args.pointer<const T>(1), rows, cols, args.workspace,
                           args.workspace_bytes, args.stream);
    });
  }
};

}  // namespace

CAMP_DEFINE_OPERATOR(reduce_sum, ReduceSum);

camp_status_t camp_reduce_sum_create(camp_operator_t **op, const camp_handle_t *handle,
                                     const camp_tensor_descriptor_t *y,
                                     const camp_tensor_descriptor_t *x) {
  return camp::create<ReduceSum>(handle, {y, x}, {}, op);
}

camp_status_t camp_reduce_sum_execute(const camp_operator_t *op, void *workspace,
                                      size_t workspace_bytes, void *y, const void *x) {
  return camp::execute<ReduceSum>(op, workspace, workspace_bytes, {y, x});
}
