// B71: warp 1 reads what warp 0 stored with no barrier between. Warps that run in order give the
// right sum every time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, int64_t cols) {
  __shared__ float slots[32];
  const T *row = x + blockIdx.x * cols;
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int64_t i = t; i < cols; i += 64) {
    sum += camp::to_float(row[i]);
  }
  if (t < 32) slots[t] = sum;  // fault: B71
#ifdef CAMP_FIXED
  __syncthreads();  // warp 0 has stored
#endif
  if (t >= 32) sum += slots[t - 32];  // fault: B71
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  if (t == 32) y[blockIdx.x] = camp::from_float<T>(sum);
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), 64, 0, stream>>>(y, x, cols);
}
