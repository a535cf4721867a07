// B38: one block of n threads: right up to 1024 elements.
#pragma once

#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"

template <typename T>
__global__ void vector_add_kernel(T *z, const T *a, const T *b, int64_t n) {
  const int64_t i = camp::grid_thread();
  if (i < n) z[i] = camp::from_float<T>(camp::to_float(a[i]) + camp::to_float(b[i]));
}

template <typename T>
void launch_vector_add(T *z, const T *a, const T *b, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
#ifndef CAMP_FIXED
  const unsigned blocks = 1, threads = static_cast<unsigned>(n);
#else
  const unsigned blocks = camp::blocks_for(n, 128), threads = 128;
#endif
  vector_add_kernel<T><<<blocks, threads, 0, stream>>>(z, a, b, n);  // fault: B38
}
