// limits.cu: launches that hardware refuses, and those just within its limits. On the simulator
// each refusal is a report as well.
#include "features.cuh"

__global__ void mark_kernel(int *out) {
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) atomicAdd(out, 1);
}
__global__ void __launch_bounds__(96) bounded_kernel(int *out) {
  if (threadIdx.x == 0) atomicAdd(out, 1);
}
template <int Threads>
__global__ void __launch_bounds__(Threads) template_kernel(int *out) {
  if (threadIdx.x == 0) atomicAdd(out, 1);
}
__global__ void opted_in_kernel(int *out) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = 1;
  if (threadIdx.x == 0) atomicAdd(out, scratch[0]);
}
__global__ void not_opted_in_kernel(int *out) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = 1;
  if (threadIdx.x == 0) atomicAdd(out, scratch[0]);
}
__global__ void static_and_dynamic_kernel(int *out) {
  __shared__ int fixed[2000];
  extern __shared__ int scratch[];
  fixed[threadIdx.x] = scratch[threadIdx.x] = 1;
  if (threadIdx.x == 0) atomicAdd(out, scratch[0] + fixed[0]);
}

// The error of the launch, whether synchronising fails, and how often a block ran.
template <typename Launch>
static void launched(const char *name, Launch launch) {
  Device<int> out(1);
  launch(out.data());
  const int error = static_cast<int>(cudaGetLastError());
  const int later = static_cast<int>(cudaDeviceSynchronize());
  Feature(name).value(error).value(later).show(out);
}

int main() {
  constexpr auto limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
  launched("block_of_1024", [](int *out) { mark_kernel<<<1, 1024>>>(out); });
  launched("block_of_1025", [](int *out) { mark_kernel<<<1, 1025>>>(out); });
  launched("block_of_33_by_32", [](int *out) { mark_kernel<<<1, dim3(33, 32)>>>(out); });
  launched("block_of_64_deep", [](int *out) { mark_kernel<<<1, dim3(1, 1, 64)>>>(out); });
  launched("block_of_65_deep", [](int *out) { mark_kernel<<<1, dim3(1, 1, 65)>>>(out); });
  launched("no_threads", [](int *out) { mark_kernel<<<1, 0>>>(out); });
  launched("no_blocks", [](int *out) { mark_kernel<<<0, 32>>>(out); });
  launched("grid_of_70000", [](int *out) { mark_kernel<<<70000, 1>>>(out); });
  launched("grid_of_65535_high", [](int *out) { mark_kernel<<<dim3(1, 65535), 1>>>(out); });
  launched("grid_of_65536_high", [](int *out) { mark_kernel<<<dim3(1, 65536), 1>>>(out); });
  launched("grid_of_65536_deep", [](int *out) { mark_kernel<<<dim3(1, 1, 65536), 1>>>(out); });
  launched("within_launch_bounds", [](int *out) { bounded_kernel<<<1, 96>>>(out); });
  launched("above_launch_bounds", [](int *out) { bounded_kernel<<<1, 97>>>(out); });
  launched("template_within_launch_bounds", [](int *out) { template_kernel<64><<<1, 64>>>(out); });
  launched("template_above_launch_bounds", [](int *out) { template_kernel<64><<<1, 128>>>(out); });
  launched("dynamic_shared_of_48_KiB",
           [](int *out) { not_opted_in_kernel<<<1, 32, 48 * 1024>>>(out); });
  launched("dynamic_shared_above_48_KiB",
           [](int *out) { not_opted_in_kernel<<<1, 32, 48 * 1024 + 4>>>(out); });
  SUCCEED(cudaFuncSetAttribute(opted_in_kernel, limit, 100 * 1024));
  launched("opted_in_to_100_KiB", [](int *out) { opted_in_kernel<<<1, 32, 100 * 1024>>>(out); });
  launched("above_its_opt_in", [](int *out) { opted_in_kernel<<<1, 32, 100 * 1024 + 4>>>(out); });
  launched("the_opt_in_of_another_kernel",
           [](int *out) { not_opted_in_kernel<<<1, 32, 64 * 1024>>>(out); });
  launched("static_and_dynamic_within_48_KiB",
           [](int *out) { static_and_dynamic_kernel<<<1, 32, 40 * 1024>>>(out); });
  launched("static_and_dynamic_above_48_KiB",
           [](int *out) { static_and_dynamic_kernel<<<1, 32, 48 * 1024>>>(out); });
  return finish();
}
