// 04_online.cuh: softmax over rows, y[r, c] = exp(x[r, c] - m) / sum of exp(x[r, k] - m) over
// k, where m is the maximum of row r.
//
//   tensor  shape         dtype           access
//   y       [rows, cols]  T, row-major    written once
//   x       [rows, cols]  T, row-major    read twice
//
// T is float, __half or __nv_bfloat16, computed in float32 and rounded once.
// Thread mapping: block r computes row r; thread t takes elements t, t + 256, ...
// Bytes moved: 3 * rows * cols * sizeof(T), 1.5 times the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; rows and
// cols >= 0. A row of -inf only, or one that holds a NaN, becomes NaN; +inf is not provided for.
// Since 03_shuffles: maximum and sum in one pass, the sum scaled anew where the maximum rises; it
// is faster because the row is read twice and not three times.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/block.cuh"
#include "common/dtype.cuh"

constexpr int kThreads = 256;  // a block

// exp(value - max) for a maximum that may be -inf: 0 then, instead of the NaN of -inf - -inf.
__device__ __forceinline__ float exp_below(float value, float max) {
  return expf(value - (max == -INFINITY ? 0.0f : max));
}

template <typename T>
__global__ void softmax_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float max = -INFINITY, sum = 0.0f;  // of what this thread has seen: the sum of exp(value - max)
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    const float value = camp::to_float(x[c]);
    const float higher = fmaxf(max, value);
    sum = sum * exp_below(max, higher) + exp_below(value, higher);
    max = higher;
  }
  const float row_max = camp::block_max(max);
  const float row_sum = camp::block_sum(sum * exp_below(max, row_max));
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    y[c] = camp::from_float<T>(exp_below(camp::to_float(x[c]), row_max) / row_sum);
  }
}

// Launches the softmax on `stream`; nothing to write launches nothing.
template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;  // a grid of 0 blocks is an error
  softmax_kernel<T><<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(y, x, cols);
}
