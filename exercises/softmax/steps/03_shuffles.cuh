// 03_shuffles.cuh: softmax over rows, y[r, c] = exp(x[r, c] - m) / sum of exp(x[r, k] - m) over
// k, where m is the maximum of row r.
//
//   tensor  shape         dtype           access
//   y       [rows, cols]  T, row-major    written once
//   x       [rows, cols]  T, row-major    read three times
//
// T is float, __half or __nv_bfloat16, computed in float32 and rounded once.
// Thread mapping: block r computes row r; thread t takes elements t, t + 256, ...
// Bytes moved: 4 * rows * cols * sizeof(T), twice the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; rows and
// cols >= 0. A row of -inf only, or one that holds a NaN, becomes NaN; +inf is not provided for.
// Since 02_tree: lanes read one another's registers; it is faster because two barriers a reduction
// are left of ten, and shared memory holds a float a warp in place of a float a thread.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/block.cuh"
#include "common/dtype.cuh"

constexpr int kThreads = 256;  // a block

template <typename T>
__global__ void softmax_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float max = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    max = fmaxf(max, camp::to_float(x[c]));
  }
  max = camp::block_max(max);
  float sum = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    sum += expf(camp::to_float(x[c]) - max);
  }
  sum = camp::block_sum(sum);
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    y[c] = camp::from_float<T>(expf(camp::to_float(x[c]) - max) / sum);
  }
}

// Launches the softmax on `stream`; nothing to write launches nothing.
template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;  // a grid of 0 blocks is an error
  softmax_kernel<T><<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(y, x, cols);
}
