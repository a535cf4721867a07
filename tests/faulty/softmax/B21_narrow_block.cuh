// B21: a block of fewer threads than the mask names; absent lanes pollute the maximum.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

template <typename T>
__global__ void softmax_kernel(T *y, const T *x, int64_t cols) {
  const T *row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0.0f;
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
    top = fmaxf(top, camp::to_float(row[i]));
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));  // fault: B21
  }
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
    sum += expf(camp::to_float(row[i]) - top);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
    y[blockIdx.x * cols + i] = camp::from_float<T>(expf(camp::to_float(row[i]) - top) / sum);
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
#ifndef CAMP_FIXED
  const unsigned threads = cols < 32 ? static_cast<unsigned>(cols) : 32;
#else
  const unsigned threads = 32;
#endif
  softmax_kernel<T><<<static_cast<unsigned>(rows), threads, 0, stream>>>(y, x, cols);
}
