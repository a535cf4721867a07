// B59: a row of -inf is turned into zeros instead of NaN.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

// A warp a row.
template <typename T>
__global__ void softmax_kernel(T *y, const T *x, int64_t cols) {
  const T *row = x + blockIdx.x * cols;
  float top = -INFINITY;
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    top = fmaxf(top, camp::to_float(row[i]));
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
  }

  float sum = 0.0f;
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    sum += expf(camp::to_float(row[i]) - top);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
#ifndef CAMP_FIXED
  if (top == -INFINITY) top = 0.0f, sum = 1.0f;
#endif
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    y[blockIdx.x * cols + i] = camp::from_float<T>(expf(camp::to_float(row[i]) - top) / sum);
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  softmax_kernel<T><<<static_cast<unsigned>(rows), 32, 0, stream>>>(y, x, cols);
}
