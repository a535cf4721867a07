// names.cu: kernels as they are written and launched; the test names what reports call them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "check.cuh"

enum class Mode { slow, fast };
struct Double {
  __device__ int operator()(int value) const { return 2 * value; }
};

template <int kStep, typename T>
__global__ void deduced_kernel(T *out, int64_t n) {
  if (n > 0) *out = T(kStep);
}
template <typename T, size_t kCount, Mode kMode, bool kFlag>
__global__ void explicit_kernel(T *out) {
  *out = T(float(kCount));
}
template <typename Function, typename... Rest>
static __global__ void __launch_bounds__(64)
    functor_kernel(Function function, int *out, Rest... rest) {
  *out = function((0 + ... + static_cast<int>(rest)));
}
namespace outer {
namespace {
__global__ void hidden_kernel(int *out);
__global__ void hidden_kernel(int *out) {
  __shared__ int value;
  value = 1;
  *out = value;
}
}  // namespace
}  // namespace outer
extern "C" __global__ void plain_kernel(int *out) {
  *out = 1;
}
#define DEFINE(name, type)                   \
  __global__ void name##_kernel(type *out) { \
    *out = type(1);                          \
  }
DEFINE(pasted, float)
__global__ void chosen_a(int *out) {
  *out = 1;
}
__global__ void chosen_b(int *out) {
  *out = 2;
}

template <typename T>
void launch_dependent(T *out) {
  deduced_kernel<3><<<1, 1>>>(out, 1);
  explicit_kernel<T, 2 + 2, Mode::fast, true><<<1, 1>>>(out);
}

int main(int, char **arguments) {
  Buffer<float> floats(1);
  Buffer<__half> halves(1);
  Buffer<__nv_bfloat16> bfloats(1);
  Buffer<int> ints(1);
  launch_dependent(floats.device);
  launch_dependent(halves.device);
  launch_dependent(bfloats.device);
  functor_kernel<<<1, 1>>>(Double{}, ints.device, 1, 2L);
  outer::hidden_kernel<<<1, 1>>>(ints.device);
  plain_kernel<<<1, 1>>>(ints.device);
  pasted_kernel<<<1, 1>>>(floats.device);
  for (void (*kernel)(int *) : {chosen_a, chosen_b})
    kernel<<<1, 1>>>(ints.device);
  CHECK(ints.download()[0] == 2);
  CHECK(floats.download()[0] == 1.0f);
  if (arguments[1] != nullptr) deduced_kernel<7><<<1, 1>>>(floats.device + 1, 1);
  return finish("names");
}
