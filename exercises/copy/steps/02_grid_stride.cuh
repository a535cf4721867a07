// 02_grid_stride.cuh: copy, y[i] = x[i] for i in [0, n), bit for bit.
//
//   tensor  shape  dtype               access
//   y       [n]    T                   written once
//   x       [n]    T                   read once
//
// T is uint8_t, uint16_t, uint32_t or uint64_t: one type a size serves every dtype.
// Thread mapping: thread t takes items t, t + threads, t + 2 * threads, ..., four at a time.
// Bytes moved: 2 * n * sizeof(T), the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; n >= 0.
// Since 01_naive: a grid-stride loop, right for every grid, that starts four loads before it waits
// for the first; it is faster because four times the bytes are under way in each thread.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/grid.cuh"

constexpr int kBatch = 4;  // loads under way in a thread

template <typename T>
__global__ void copy_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t n) {
  const int64_t threads = camp::grid_threads();
  for (int64_t i = camp::grid_thread(); i < n; i += kBatch * threads) {
    T value[kBatch] = {};
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      if (i + b * threads < n) value[b] = x[i + b * threads];
    }
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      if (i + b * threads < n) y[i + b * threads] = value[b];
    }
  }
}

// Launches the copy of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  copy_kernel<T><<<camp::blocks_for(n, threads * kBatch), threads, 0, stream>>>(y, x, n);
}
