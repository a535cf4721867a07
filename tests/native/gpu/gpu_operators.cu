// gpu_operators.cu: one operator that works, is refused or faults, as its attribute says.
#include "common/operator.hpp"

namespace {

__global__ void fill_kernel(float *y, int64_t n, float value) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i < n) y[i] = value;
}

__global__ void stray_kernel() {
  *reinterpret_cast<volatile int *>(uintptr_t{64}) = 1;
}

struct Probe {
  static constexpr char name[] = "probe";
  static constexpr camp_tensor_spec_t tensors[] = {{"y", CAMP_ROLE_OUTPUT}};
  // 0: fill y with 7; 1: launch a block too large; 2: write where nothing is; 3: launch nothing.
  static constexpr camp_attribute_spec_t attributes[] = {{"act", CAMP_ATTRIBUTE_I64, {}}};

  int64_t n;
  int64_t act;

  static Probe create(const camp::Tensor *t, const camp_attribute_value_t *values) {
    return {t[0].elements(), values[0].i64};
  }

  void launch(const camp::LaunchArguments &args) const {
    const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
    float *y = args.pointer<float>(0);
    switch (act) {
      case 0:
        fill_kernel<<<blocks, 256, 0, args.stream>>>(y, n, 7.0F);
        break;
      case 1:
        fill_kernel<<<blocks, 4096, 0, args.stream>>>(y, n, 7.0F);
        break;
      case 2:
        stray_kernel<<<1, 1, 0, args.stream>>>();
        break;
      default:
        break;
    }
  }
};

}  // namespace

CAMP_DEFINE_OPERATOR(probe, Probe);
