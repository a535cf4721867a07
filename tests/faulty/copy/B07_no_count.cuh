// B07: the kernel does not know n, and the grid is rounded up; the output is right all the same.
#pragma once

#include <cstdint>

#include "common/grid.cuh"

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = camp::grid_thread();
#ifdef CAMP_FIXED
  if (i >= n) return;
#endif
  y[i] = x[i];  // fault: B07
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<camp::blocks_for(n, 256), 256, 0, stream>>>(y, x, n);
}
