// B37: a block of 1500 threads is refused, and nobody reads the status of the launch.
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
  const int threads = 1500;
#else
  const int threads = 512;
#endif
  const unsigned blocks = camp::blocks_for(n, threads);
  vector_add_kernel<T><<<blocks, threads, 0, stream>>>(z, a, b, n);  // fault: B37
}
