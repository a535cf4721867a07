// B14: the last warp is unrolled without volatile and without __syncwarp: right in a debug build.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

// Adds slots 0..63 into slot 0; called by the 32 lanes of warp 0.
__device__ inline void add_last_warp(float *slots, int lane) {
#ifndef CAMP_FIXED
  slots[lane] += slots[lane + 32];  // fault: B14
  slots[lane] += slots[lane + 16];  // fault: B14
  slots[lane] += slots[lane + 8];   // fault: B14
  slots[lane] += slots[lane + 4];   // fault: B14
  slots[lane] += slots[lane + 2];   // fault: B14
  slots[lane] += slots[lane + 1];   // fault: B14
#else
  for (int step = 32; step > 0; step /= 2) {
    const float other = slots[lane + step];
    __syncwarp();  // every lane has read before any lane writes
    slots[lane] += other;
    __syncwarp();  // this level is written before the next reads it
  }
#endif
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, int64_t cols) {
  __shared__ float slots[64];
  const T *row = x + blockIdx.x * cols;
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int64_t i = t; i < cols; i += 64) {
    sum += camp::to_float(row[i]);
  }
  slots[t] = sum;
  __syncthreads();  // all partial sums are written
  if (t < 32) add_last_warp(slots, t);
  if (t == 0) y[blockIdx.x] = camp::from_float<T>(slots[0]);
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), 64, 0, stream>>>(y, x, cols);
}
