// Softmax as the formula is written: three passes over a row, each of which reads it from memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/dtype.cuh"

// A warp a row.
template <typename T>
__global__ void three_pass_softmax(T *y, const T *x, int64_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float max = -INFINITY, sum = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += 32) {
    max = fmaxf(max, camp::to_float(x[c]));  // first
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, offset));
  }
  for (int64_t c = threadIdx.x; c < cols; c += 32) {
    sum += expf(camp::to_float(x[c]) - max);  // second
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  for (int64_t c = threadIdx.x; c < cols; c += 32) {
    y[c] = camp::from_float<T>(expf(camp::to_float(x[c]) - max) / sum);  // third
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  three_pass_softmax<T><<<static_cast<unsigned>(rows), 32, 0, stream>>>(y, x, cols);
}
