// B44: the thread's number is kept in int: right up to 2^31 - 1, then negative.
#pragma once

#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"

template <typename T>
__global__ void vector_add_kernel(T *z, const T *a, const T *b, int64_t n) {
#ifndef CAMP_FIXED
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#else
  const int64_t i = camp::grid_thread();
#endif
  if (i >= n) return;
  const float sum = camp::to_float(a[i]) + camp::to_float(b[i]);  // fault: B44
  z[i] = camp::from_float<T>(sum);
}

template <typename T>
void launch_vector_add(T *z, const T *a, const T *b, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  vector_add_kernel<T><<<camp::blocks_for(n, 256), 256, 0, stream>>>(z, a, b, n);
}
