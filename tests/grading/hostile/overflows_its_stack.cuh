// Recurses without end in the kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

__device__ inline int deeper(int depth, int64_t n) {
  volatile int here[64] = {depth};
  if (n < 0) return here[0];
  return deeper(depth + 1, n) + here[0];
}

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  y[0] = static_cast<T>(x[0] + deeper(0, n));
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<1, 1, 0, stream>>>(y, x, n);
}
