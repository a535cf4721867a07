// 01_naive.cuh: softmax over rows, y[r, c] = exp(x[r, c] - m) / sum of exp(x[r, k] - m) over
// k, where m is the maximum of row r.
//
//   tensor  shape         dtype           access
//   y       [rows, cols]  T, row-major    written once
//   x       [rows, cols]  T, row-major    read three times
//
// T is float, __half or __nv_bfloat16, computed in float32 and rounded once.
// Thread mapping: thread r computes row r.
// Bytes moved: every sector of 32 bytes is asked for once for each of its elements, in each of the
// passes: 16 times 2 * rows * cols * sizeof(T) for float, 32 times for halves.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; rows and
// cols >= 0. A row of -inf only, or one that holds a NaN, becomes NaN; +inf is not provided for.
// The first step: the formula as it is written, a row a thread. Rows are far apart, so the lanes of
// a warp touch 32 places at once; and few rows leave most of a GPU idle.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"

template <typename T>
__global__ void softmax_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t rows,
                               int64_t cols) {
  const int64_t row = camp::grid_thread();
  if (row >= rows) return;
  x += row * cols;
  y += row * cols;
  float max = -INFINITY;
  for (int64_t c = 0; c < cols; ++c) {
    max = fmaxf(max, camp::to_float(x[c]));
  }
  float sum = 0.0f;
  for (int64_t c = 0; c < cols; ++c) {
    sum += expf(camp::to_float(x[c]) - max);
  }
  for (int64_t c = 0; c < cols; ++c) {
    y[c] = camp::from_float<T>(expf(camp::to_float(x[c]) - max) / sum);
  }
}

// Launches the softmax on `stream`; nothing to write launches nothing.
template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  softmax_kernel<T><<<camp::blocks_for(rows, threads), threads, 0, stream>>>(y, x, rows, cols);
}
