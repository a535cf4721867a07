// B44: the length is kept in int, where 3 * 2^30 is negative: every thread finds nothing to do.
#pragma once

#include <cstdint>

#include "common/grid.cuh"

#ifndef CAMP_FIXED
using Length = int;
#else
using Length = int64_t;
#endif

template <typename T>
__global__ void copy_kernel(T *y, const T *x, Length n) {
  const int64_t i = camp::grid_thread();
  if (i < n) y[i] = x[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  const Length length = static_cast<Length>(n);
  copy_kernel<T><<<camp::blocks_for(n, 256), 256, 0, stream>>>(y, x, length);
}
