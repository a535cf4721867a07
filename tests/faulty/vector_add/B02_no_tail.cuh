// B02: four elements a thread, and nothing for the n % 4 that are left over.
#pragma once

#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"

template <typename T>
__global__ void vector_add_kernel(T *z, const T *a, const T *b, int64_t n) {
  const int64_t i = camp::grid_thread() * 4;
#ifndef CAMP_FIXED
  if (i + 3 >= n) return;
#endif
  for (int64_t k = i; k < i + 4 && k < n; ++k) {
    z[k] = camp::from_float<T>(camp::to_float(a[k]) + camp::to_float(b[k]));
  }
}

template <typename T>
void launch_vector_add(T *z, const T *a, const T *b, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  vector_add_kernel<T><<<camp::blocks_for((n + 3) / 4, 256), 256, 0, stream>>>(z, a, b, n);
}
