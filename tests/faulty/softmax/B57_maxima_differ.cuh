// B57: lanes of an online softmax are merged although their running maxima differ.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

template <typename T>
__global__ void softmax_kernel(T *y, const T *x, int64_t cols) {
  const T *row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0.0f;
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    const float value = camp::to_float(row[i]);
    const float higher = fmaxf(top, value);
    if (higher > -INFINITY) sum = sum * expf(top - higher) + expf(value - higher);
    top = value != value ? value : higher;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, top, offset);
    const float other_sum = __shfl_xor_sync(0xffffffffu, sum, offset);
    const float higher = fmaxf(top, other);
#ifndef CAMP_FIXED
    sum += other_sum;
#else
    if (higher > -INFINITY) sum = sum * expf(top - higher) + other_sum * expf(other - higher);
#endif
    top = higher;
  }
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    y[blockIdx.x * cols + i] = camp::from_float<T>(expf(camp::to_float(row[i]) - top) / sum);
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  softmax_kernel<T><<<static_cast<unsigned>(rows), 32, 0, stream>>>(y, x, cols);
}
