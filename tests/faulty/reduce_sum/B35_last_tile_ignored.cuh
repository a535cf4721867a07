// B35: the number of tiles is rounded down, so the last, partly filled one is ignored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, int64_t cols) {
  __shared__ float partial[128];
  const T *row = x + blockIdx.x * cols;
  const int t = threadIdx.x;
#ifndef CAMP_FIXED
  const int64_t tiles = cols / 128;
#else
  const int64_t tiles = (cols + 127) / 128;
#endif
  float sum = 0.0f;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const int64_t i = tile * 128 + t;
    sum += i < cols ? camp::to_float(row[i]) : 0.0f;
  }
  partial[t] = sum;
  __syncthreads();  // all partial sums are written
  for (int step = 64; step > 0; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    __syncthreads();  // this level is written before the next reads it
  }
  if (t == 0) y[blockIdx.x] = camp::from_float<T>(partial[0]);
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), 128, 0, stream>>>(y, x, cols);
}
