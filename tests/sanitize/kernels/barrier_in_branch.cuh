// A copy with a barrier that only some lanes of a warp reach.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
#ifndef CAMP_FIXED
  if (threadIdx.x < 40) __syncthreads();  // fault: barrier
#else
  __syncthreads();
#endif
  if (i < n) y[i] = x[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<static_cast<unsigned>((n + 63) / 64), 64, 0, stream>>>(y, x, n);
}
