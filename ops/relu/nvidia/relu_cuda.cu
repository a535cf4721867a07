// relu_cuda.cu: the relu operator behind the C ABI; the functor itself is in kernel.cuh.
#include "operator_runtime/ops/relu.h"

#include <cmath>

#include "common/operator.hpp"
#include CAMP_KERNEL_HEADER

namespace {

struct ReluOperator {
  static constexpr char name[] = "relu";
  static constexpr camp_tensor_spec_t tensors[] = {{"y", CAMP_ROLE_OUTPUT}, {"x", CAMP_ROLE_INPUT}};
  static constexpr camp_attribute_spec_t attributes[] = {
      {"negative_slope", CAMP_ATTRIBUTE_F64, {0.0}}};

  camp_dtype_t dtype;
  camp::ElementwisePlan<1> plan;
  float negative_slope;

  static ReluOperator create(const camp::Tensor *t, const camp_attribute_value_t *attributes) {
    const camp::Tensor &y = t[0], &x = t[1];
    camp::require_dtype(y, {CAMP_DTYPE_F32, CAMP_DTYPE_F16, CAMP_DTYPE_BF16});
    camp::require_same_dtype(y, x);
    const float slope = static_cast<float>(attributes[0].f64);
    if (!std::isfinite(slope)) {
      camp::throw_error(CAMP_STATUS_INVALID_ARGUMENT,
                        "negative_slope is %g; it must be finite in float32", attributes[0].f64);
    }
    return ReluOperator{y.dtype(), camp::plan_elementwise<1>(y, {x}), slope};
  }

  void launch(const camp::LaunchArguments &args) const {
    camp::dispatch_float(dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      launch_relu<T>(args.pointer<T>(0), args.pointer<const T>(1), plan, negative_slope,
                     args.stream);
    });
  }
};

}  // namespace

CAMP_DEFINE_OPERATOR(relu, ReluOperator);

camp_status_t camp_relu_create(camp_operator_t **op, const camp_handle_t *handle,
                               const camp_tensor_descriptor_t *y, const camp_tensor_descriptor_t *x,
                               double negative_slope) {
  return camp::create<ReluOperator>(handle, {y, x}, {camp::attribute_f64(negative_slope)}, op);
}

camp_status_t camp_relu_execute(const camp_operator_t *op, void *workspace, size_t workspace_bytes,
                                void *y, const void *x) {
  return camp::execute<ReluOperator>(op, workspace, workspace_bytes, {y, x});
}
