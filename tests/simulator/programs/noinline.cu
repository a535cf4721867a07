// noinline.cu: __noinline__ as CUDA has it, beside the attribute of that name in system headers.
#include <cuda_runtime.h>

#include <memory>
#include <shared_mutex>

__attribute__((__noinline__)) int once(int value) {
  return value;
}
[[gnu::__noinline__]] int again(int value) {
  return value;
}

#define SLOW_PATH __noinline__ __device__

__noinline__ __device__ int twice(int value) {
  return 2 * value;
}
SLOW_PATH int thrice(int value) {
  return 3 * value;
}

__global__ void noinline_kernel(int *out) {
  *out = twice(10) + thrice(7);
}

int main() {
  int *out = nullptr;
  if (cudaMalloc(&out, sizeof *out) != cudaSuccess) return 1;
  noinline_kernel<<<1, 1>>>(out);
  int host = 0;
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(out);
  return host == 41 && once(1) + again(*std::make_shared<int>(1)) == 2 ? 0 : 2;
}
