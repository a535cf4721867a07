// B11: one block of as many threads as there are elements, 1024 at most: what lies past 1024 is
// dropped, and so is the odd one out whenever the tree halves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, int64_t cols) {
  __shared__ float partial[1024];
  const T *row = x + blockIdx.x * cols;
  const int t = threadIdx.x;
  float sum = t < cols ? camp::to_float(row[t]) : 0.0f;
#ifdef CAMP_FIXED
  for (int64_t i = t + blockDim.x; i < cols; i += blockDim.x) {
    sum += camp::to_float(row[i]);
  }
#endif
  partial[t] = sum;
  __syncthreads();  // all partial sums are written
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    __syncthreads();  // this level is written before the next reads it
  }
  if (t == 0) y[blockIdx.x] = camp::from_float<T>(partial[0]);
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
#ifndef CAMP_FIXED
  const unsigned threads = cols == 0 ? 1 : cols < 1024 ? static_cast<unsigned>(cols) : 1024;
#else
  const unsigned threads = 256;
#endif
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), threads, 0, stream>>>(y, x, cols);
}
