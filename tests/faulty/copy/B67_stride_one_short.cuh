// B67: the grid's stride is one short, so that some elements belong to two threads.
#pragma once

#include <cstdint>

#include "common/grid.cuh"

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
#ifndef CAMP_FIXED
  const int64_t stride = camp::grid_threads() - 1;
#else
  const int64_t stride = camp::grid_threads();
#endif
  for (int64_t i = camp::grid_thread(); i < n; i += stride) {
    y[i] = x[i];  // fault: B67
  }
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<4, 128, 0, stream>>>(y, x, n);
}
