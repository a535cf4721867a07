// B28: the shared buffer of the maximum is used again for the sum with no barrier between.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

__device__ inline float warps_sum(float value, float *red) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = value;  // fault: B28
  __syncthreads();                                           // all warps have stored
  return red[0] + red[1] + red[2] + red[3];
}

__device__ inline float warps_max(float value, float *red) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = value;
  __syncthreads();                                             // all warps have stored
  return fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));  // fault: B28
}

template <typename T>
__global__ void softmax_kernel(T *y, const T *x, int64_t cols) {
  __shared__ float red[4];
  const T *row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0.0f;
  for (int64_t i = threadIdx.x; i < cols; i += 128) {
    top = fmaxf(top, camp::to_float(row[i]));
  }
  top = warps_max(top, red);
  for (int64_t i = threadIdx.x; i < cols; i += 128) {
    sum += expf(camp::to_float(row[i]) - top);
  }
#ifdef CAMP_FIXED
  __syncthreads();  // every warp has read the maximum before the sums overwrite it
#endif
  sum = warps_sum(sum, red);
  for (int64_t i = threadIdx.x; i < cols; i += 128) {
    y[blockIdx.x * cols + i] = camp::from_float<T>(expf(camp::to_float(row[i]) - top) / sum);
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  softmax_kernel<T><<<static_cast<unsigned>(rows), 128, 0, stream>>>(y, x, cols);
}
