// B74: a kernel clears its input once it has copied it.
#pragma once

#include <cstdint>

#include "common/grid.cuh"

template <typename T>
__global__ void copy_kernel(T *y, T *x, int64_t n) {
  const int64_t i = camp::grid_thread();
  if (i >= n) return;
  y[i] = x[i];
#ifndef CAMP_FIXED
  x[i] = T{};  // fault: B74
#endif
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<camp::blocks_for(n, 256), 256, 0, stream>>>(y, const_cast<T *>(x), n);
}
