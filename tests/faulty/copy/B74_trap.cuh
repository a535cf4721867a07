// B74: a kernel gives up where it meets a length that it was not written for.
#pragma once

#include <cstdint>

#include "common/grid.cuh"

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = camp::grid_thread();
#ifndef CAMP_FIXED
  if (n % 2 != 0) __trap();  // fault: B74
#endif
  if (i < n) y[i] = x[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<camp::blocks_for(n, 256), 256, 0, stream>>>(y, x, n);
}
