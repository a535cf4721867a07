// B26: slots of threads past the end are read but never filled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, int64_t cols) {
  __shared__ float tile[128];
  const T *row = x + blockIdx.x * cols;
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int64_t i = t; i < cols; i += 128) {
    sum += camp::to_float(row[i]);
  }
#ifndef CAMP_FIXED
  if (t < cols) tile[t] = sum;
#else
  tile[t] = sum;
#endif
  __syncthreads();  // the tile is filled
  for (int step = 64; step > 0; step /= 2) {
    if (t < step) tile[t] += tile[t + step];  // fault: B26
    __syncthreads();                          // this level is written before the next reads it
  }
  if (t == 0) y[blockIdx.x] = camp::from_float<T>(tile[0]);
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), 128, 0, stream>>>(y, x, cols);
}
