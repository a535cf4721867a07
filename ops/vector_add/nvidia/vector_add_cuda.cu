// vector_add_cuda.cu: the vector_add operator behind the C ABI; the kernel itself is in kernel.cuh.
#include "operator_runtime/ops/vector_add.h"

#include "common/operator.hpp"
#include CAMP_KERNEL_HEADER

namespace {

struct VectorAdd {
  static constexpr char name[] = "vector_add";
  static constexpr camp_tensor_spec_t tensors[] = {
      {"z", CAMP_ROLE_OUTPUT}, {"a", CAMP_ROLE_INPUT}, {"b", CAMP_ROLE_INPUT}};

  camp_dtype_t dtype;
  int64_t n;

  static VectorAdd create(const camp::Tensor *t, const camp_attribute_value_t *) {
    const camp::Tensor &z = t[0], &a = t[1], &b = t[2];
    camp::require_dtype(z, {CAMP_DTYPE_F32, CAMP_DTYPE_F16, CAMP_DTYPE_BF16});
    for (const camp::Tensor *input : {&a, &b}) {
      camp::require_same_dtype(z, *input);
      camp::require_same_shape(z, *input);
      camp::require_contiguous(*input);
    }
    camp::require_contiguous(z);
    return VectorAdd{z.dtype(), z.elements()};
  }

  void launch(const camp::LaunchArguments &args) const {
    camp::dispatch_float(dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      launch_vector_add<T>(args.pointer<T>(0), args.pointer<const T>(1), args.pointer<const T>(2),
                           n, args.stream);
    });
  }
};

}  // namespace

CAMP_DEFINE_OPERATOR(vector_add, VectorAdd);

camp_status_t camp_vector_add_create(camp_operator_t **op, const camp_handle_t *handle,
                                     const camp_tensor_descriptor_t *z,
                                     const camp_tensor_descriptor_t *a,
                                     const camp_tensor_descriptor_t *b) {
  return camp::create<VectorAdd>(handle, {z, a, b}, {}, op);
}

camp_status_t camp_vector_add_execute(const camp_operator_t *op, void *workspace,
                                      size_t workspace_bytes, void *z, const void *a,
                                      const void *b) {
  return camp::execute<VectorAdd>(op, workspace, workspace_bytes, {z, a, b});
}
