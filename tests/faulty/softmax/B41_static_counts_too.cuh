// B41: static shared memory counts towards the 48 KiB as well: 16 KiB for a row are too many beside
// a table of 33000 bytes.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

inline constexpr int kTableBytes = 33000;

template <typename T>
__global__ void softmax_kernel(T *y, const T *x, int64_t cols) {
  extern __shared__ float values[];
#ifndef CAMP_FIXED
  __shared__ unsigned char table[kTableBytes];
  if (threadIdx.x == 0) table[kTableBytes - 1] = 0;
#endif
  const T *row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0.0f;
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    values[i] = camp::to_float(row[i]);
    top = fmaxf(top, values[i]);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
  }
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    values[i] = expf(values[i] - top);
    sum += values[i];
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    y[blockIdx.x * cols + i] = camp::from_float<T>(values[i] / sum);
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const size_t bytes = static_cast<size_t>(cols) * sizeof(float);
#ifdef CAMP_FIXED
  cudaFuncSetAttribute(softmax_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(bytes));
#endif
  const unsigned rows_blocks = static_cast<unsigned>(rows);
  softmax_kernel<T><<<rows_blocks, 32, bytes, stream>>>(y, x, cols);  // fault: B41
}
