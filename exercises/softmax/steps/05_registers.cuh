// 05_registers.cuh: softmax over rows, y[r, c] = exp(x[r, c] - m) / sum of exp(x[r, k] - m) over
// k, where m is the maximum of row r.
//
//   tensor  shape         dtype           access
//   y       [rows, cols]  T, row-major    written once
//   x       [rows, cols]  T, row-major    read once; twice in rows too long for registers
//
// T is float, __half or __nv_bfloat16, computed in float32 and rounded once.
// Thread mapping: block r computes row r with a thread for 8 elements, a warp at least; thread t
// takes elements t, t + threads, ...
// Bytes moved: 2 * rows * cols * sizeof(T), the least possible; 1.5 times that in long rows.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; rows and
// cols >= 0. A row of -inf only, or one that holds a NaN, becomes NaN; +inf is not provided for.
// Since 04_online: a thread keeps its elements in registers, up to 8192 columns; it is faster
// because the row is read once, each exponential is computed once, and eight loads are under way.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/block.cuh"
#include "common/dtype.cuh"

constexpr int kEach = 8;           // elements a thread holds
constexpr int kMaxThreads = 1024;  // a block

// exp(value - max) for a maximum that may be -inf: 0 then, instead of the NaN of -inf - -inf.
__device__ __forceinline__ float exp_below(float value, float max) {
  return expf(value - (max == -INFINITY ? 0.0f : max));
}

// A row of at most kEach * blockDim.x columns.
template <typename T>
__global__ void softmax_register_kernel(T *__restrict__ y, const T *__restrict__ x, int cols) {
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  x += blockIdx.x * static_cast<int64_t>(cols);
  y += blockIdx.x * static_cast<int64_t>(cols);
  float value[kEach];
  float max = -INFINITY;
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    const int c = thread + e * threads;
    value[e] = c < cols ? camp::to_float(x[c]) : -INFINITY;
  }
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    max = fmaxf(max, value[e]);
  }
  max = camp::block_max(max);
  float sum = 0.0f;
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    value[e] = exp_below(value[e], max);  // 0 past the end of the row
    sum += value[e];
  }
  sum = camp::block_sum(sum);
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    const int c = thread + e * threads;
    if (c < cols) y[c] = camp::from_float<T>(value[e] / sum);
  }
}

// A row of any length, read twice.
template <typename T>
__global__ void softmax_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float max = -INFINITY, sum = 0.0f;  // of what this thread has seen: the sum of exp(value - max)
  for (int64_t c = threadIdx.x; c < cols; c += kMaxThreads) {
    const float value = camp::to_float(x[c]);
    const float higher = fmaxf(max, value);
    sum = sum * exp_below(max, higher) + exp_below(value, higher);
    max = higher;
  }
  const float row_max = camp::block_max(max);
  const float row_sum = camp::block_sum(sum * exp_below(max, row_max));
  for (int64_t c = threadIdx.x; c < cols; c += kMaxThreads) {
    y[c] = camp::from_float<T>(exp_below(camp::to_float(x[c]), row_max) / row_sum);
  }
}

// Launches the softmax on `stream`; nothing to write launches nothing.
template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;  // a grid of 0 blocks is an error
  const unsigned blocks = static_cast<unsigned>(rows);
  if (cols > kEach * kMaxThreads) {
    softmax_kernel<T><<<blocks, kMaxThreads, 0, stream>>>(y, x, cols);
    return;
  }
  const int warps = static_cast<int>((cols + kEach * 32 - 1) / (kEach * 32));  // [1, 32]
  softmax_register_kernel<T><<<blocks, 32 * warps, 0, stream>>>(y, x, static_cast<int>(cols));
}
