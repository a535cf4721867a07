// Never ends the kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  for (int64_t i = threadIdx.x; i < n; i += 0) {
    y[i] = x[i];
  }
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<1, 32, 0, stream>>>(y, x, n);
}
