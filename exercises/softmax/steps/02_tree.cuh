// 02_tree.cuh: softmax over rows, y[r, c] = exp(x[r, c] - m) / sum of exp(x[r, k] - m) over
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
// Since 01_naive: a block a row, which reduces in a tree in shared memory; it is faster because the
// lanes of a warp touch neighbouring elements, and a row has 256 threads at work.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/dtype.cuh"

constexpr int kThreads = 256;  // a block; a power of two

struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// All values of the block combined; valid in every thread. Calls may follow one another.
template <typename F>
__device__ __forceinline__ float block_reduce(float value, F combine) {
  __shared__ float slots[kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  slots[thread] = value;
  __syncthreads();  // all values are written before any is read
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (thread < step) slots[thread] = combine(slots[thread], slots[thread + step]);
    __syncthreads();  // values of this step are written before the next one reads them
  }
  const float result = slots[0];
  __syncthreads();  // all have read before the next call overwrites the slots
  return result;
}

template <typename T>
__global__ void softmax_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float max = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    max = fmaxf(max, camp::to_float(x[c]));
  }
  max = block_reduce(max, Max{});
  float sum = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    sum += expf(camp::to_float(x[c]) - max);
  }
  sum = block_reduce(sum, Sum{});
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
