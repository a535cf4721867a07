// B15: the lanes of a warp exchange shared data as though they ran in lockstep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, int64_t cols) {
  __shared__ float shared[64];
  volatile float *partial = shared;
  const T *row = x + blockIdx.x * cols;
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int64_t i = t; i < cols; i += 64) {
    sum += camp::to_float(row[i]);
  }
  partial[t] = sum;
  __syncthreads();  // all partial sums are written
  if (t < 32) {
    for (int step = 32; step > 0; step /= 2) {
#ifndef CAMP_FIXED
      partial[t] += partial[t + step];  // fault: B15
#else
      const float other = partial[t + step];
      __syncwarp();  // every lane has read before any lane writes
      partial[t] += other;
      __syncwarp();  // this level is written before the next reads it
#endif
    }
  }
  if (t == 0) y[blockIdx.x] = camp::from_float<T>(partial[0]);
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), 64, 0, stream>>>(y, x, cols);
}
