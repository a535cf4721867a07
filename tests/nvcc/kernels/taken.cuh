// taken.cuh: the corrected twins of refused.cuh and spilling.cuh.
#pragma once

#include <cuda_runtime.h>

#include <cassert>
#include <cstdint>

__host__ __device__ inline int64_t first_of_both(int64_t i) {
  return i;
}

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  assert(n >= 0);
  const int64_t i = first_of_both(int64_t{blockIdx.x} * blockDim.x + threadIdx.x);
  if (i < n) y[i] = x[i];
}

__global__ void fixed_length_kernel(float *x) {
  float values[4];
  for (int i = 0; i < 4; ++i)
    values[i] = x[i];
  x[0] = values[3];
}

__global__ void narrow_kernel(float *x) {
  __shared__ float tile[12 * 1024];  // 48 KiB
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void __launch_bounds__(256) roomy_kernel(float *x) {
  float values[64];
#pragma unroll
  for (int i = 0; i < 64; ++i)
    values[i] = x[threadIdx.x + i * 1024];
#pragma unroll
  for (int round = 0; round < 4; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i)
      values[i] = values[i] * values[(i * 7 + 3) % 64] + values[(i * 5 + round) % 64];
  }
#pragma unroll
  for (int i = 0; i < 64; ++i)
    x[threadIdx.x + i * 1024] = values[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(y, x, n);
}
