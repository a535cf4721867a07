// refused.cuh: host compilers take all of this, nvcc does not. A right copy on the simulator.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  if (n < 0) throw n;  // refused: exceptions
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

__global__ void variable_length_kernel(float *x, int n) {
  float values[n];  // refused: variable-length array
  for (int i = 0; i < n; ++i)
    values[i] = x[i];
  x[0] = values[n - 1];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(y, x, n);
}
