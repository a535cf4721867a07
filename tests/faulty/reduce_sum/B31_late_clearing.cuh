// B31: warp 0 clears the slots while other warps already store into them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, int64_t cols) {
  __shared__ float warps[32];
  const T *row = x + blockIdx.x * cols;
  const int t = threadIdx.x;
  if (t < 32) warps[t] = 0.0f;  // fault: B31
#ifdef CAMP_FIXED
  __syncthreads();  // the slots are clear before any warp stores
#endif
  float sum = 0.0f;
  for (int64_t i = t; i < cols; i += 128) {
    sum += camp::to_float(row[i]);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  if (t % 32 == 0) warps[t / 32] = sum;  // fault: B31
  __syncthreads();                       // all warps have stored
  if (t == 0) {
    for (int w = 1; w < 32; ++w) {
      sum += warps[w];
    }
    y[blockIdx.x] = camp::from_float<T>(sum);
  }
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), 128, 0, stream>>>(y, x, cols);
}
