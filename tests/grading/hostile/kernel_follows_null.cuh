// Follows a null pointer in the kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i == 0) y = nullptr;
  if (i < n) y[i] = x[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<static_cast<unsigned>((n + 127) / 128), 128, 0, stream>>>(y, x, n);
}
