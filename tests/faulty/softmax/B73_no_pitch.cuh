// B73: a row is taken to begin where the last one ends. The task says that tensors are contiguous,
// so that is right, and so is the twin that is told the pitch.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

// A warp a row. pitch: elements from one row to the next.
template <typename T>
__global__ void softmax_kernel(T *y, const T *x, int64_t cols, int64_t pitch) {
#ifndef CAMP_FIXED
  pitch = cols;
#endif
  const T *row = x + blockIdx.x * pitch;
  float top = -INFINITY, sum = 0.0f;
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    top = fmaxf(top, camp::to_float(row[i]));
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
  }
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    sum += expf(camp::to_float(row[i]) - top);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    y[blockIdx.x * pitch + i] = camp::from_float<T>(expf(camp::to_float(row[i]) - top) / sum);
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  softmax_kernel<T><<<static_cast<unsigned>(rows), 32, 0, stream>>>(y, x, cols, cols);
}
