// B24: every lane stores its partial sum into the slot meant for lane 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, int64_t cols) {
  __shared__ float warps[4];
  const T *row = x + blockIdx.x * cols;
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int64_t i = t; i < cols; i += 128) {
    sum += camp::to_float(row[i]);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  }
#ifdef CAMP_FIXED
  if (t % 32 == 0)
#endif
    warps[t / 32] = sum;  // fault: B24
  __syncthreads();        // all warps have stored
  if (t == 0) y[blockIdx.x] = camp::from_float<T>(warps[0] + warps[1] + warps[2] + warps[3]);
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), 128, 0, stream>>>(y, x, cols);
}
