// B17: lanes read others that do not take part in the shuffle.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, int64_t cols) {
  const T *row = x + blockIdx.x * cols;
  const int lane = threadIdx.x;
  float sum = 0.0f;
  for (int64_t i = lane; i < cols; i += 32) {
    sum += camp::to_float(row[i]);
  }
#ifndef CAMP_FIXED
  const unsigned mask = __ballot_sync(0xffffffffu, lane < cols);
  if (lane >= cols) {
    if (lane == 0) y[blockIdx.x] = camp::from_float<T>(0.0f);
    return;
  }
#else
  const unsigned mask = 0xffffffffu;
#endif
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(mask, sum, offset);  // fault: B17
  }
  if (lane == 0) y[blockIdx.x] = camp::from_float<T>(sum);
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), 32, 0, stream>>>(y, x, cols);
}
