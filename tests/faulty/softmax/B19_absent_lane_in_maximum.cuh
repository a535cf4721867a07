// B19: lanes read a maximum from beyond the live threads, where hardware happens to give 0: right
// for sums, wrong for the maximum of negative numbers.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

template <typename T>
__global__ void softmax_kernel(T *y, const T *x, int64_t cols) {
  const T *row = x + blockIdx.x * cols;
  const unsigned mask = blockDim.x == 32 ? 0xffffffffu : (1u << blockDim.x) - 1;
  float top = -INFINITY, sum = 0.0f;
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
    top = fmaxf(top, camp::to_float(row[i]));
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_down_sync(mask, top, offset);  // fault: B19
    top = top > other ? top : other;
  }
  top = __shfl_sync(mask, top, 0);
  for (int64_t i = 0; i < cols; ++i) {
    sum += expf(camp::to_float(row[i]) - top);
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
  const unsigned threads = 32;  // lanes without a column take part with -inf
#endif
  softmax_kernel<T><<<static_cast<unsigned>(rows), threads, 0, stream>>>(y, x, cols);
}
