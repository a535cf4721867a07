// B34: threads without an element leave before the barrier. Hardware tolerates it, so the verdict
// is PASS, with a warning.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, int64_t cols) {
  __shared__ float partial[256];
  const T *row = x + blockIdx.x * cols;
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int64_t i = t; i < cols; i += 256) {
    sum += camp::to_float(row[i]);
  }
  partial[t] = sum;
#ifndef CAMP_FIXED
  if (t > 0 && t >= cols) return;
#endif
  __syncthreads();  // fault: B34
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    __syncthreads();  // this level is written before the next reads it
  }
  if (t == 0) y[blockIdx.x] = camp::from_float<T>(partial[0]);
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), 256, 0, stream>>>(y, x, cols);
}
