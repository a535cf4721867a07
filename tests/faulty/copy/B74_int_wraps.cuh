// B74: a random number is made with int, which wraps around; no index comes of it.
#pragma once

#include <cstdint>

#include "common/grid.cuh"

#ifndef CAMP_FIXED
using Bits = int;
#else
using Bits = unsigned;
#endif

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n, Bits state) {
  const int64_t i = camp::grid_thread();
  if (i >= n) return;
  state += 1;  // fault: B74
  y[i] = state == 0 ? T{} : x[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<camp::blocks_for(n, 256), 256, 0, stream>>>(y, x, n, Bits{2147483647});
}
