// B46: the column is an int, and steps past 2^31 - 1 at the end of one huge row.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

#ifndef CAMP_FIXED
using Index = int;
#else
using Index = int64_t;
#endif

__device__ inline float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

__device__ inline float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

template <typename T>
__global__ void softmax_kernel(T *y, const T *x, Index cols) {
  __shared__ float tops[32], sums[32];
  const T *row = x + static_cast<int64_t>(blockIdx.x) * cols;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float top = -INFINITY, sum = 0.0f;
  for (Index i = threadIdx.x; i < cols; i += 1024) {  // fault: B46
    top = fmaxf(top, camp::to_float(row[i]));
  }
  top = warp_max(top);
  if (lane == 0) tops[warp] = top;
  __syncthreads();  // every warp has stored its maximum
  top = warp_max(tops[lane]);
  for (Index i = threadIdx.x; i < cols; i += 1024) {
    sum += expf(camp::to_float(row[i]) - top);
  }
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();  // every warp has stored its sum
  sum = warp_sum(sums[lane]);
  T *out = y + static_cast<int64_t>(blockIdx.x) * cols;
  for (Index i = threadIdx.x; i < cols; i += 1024) {
    out[i] = camp::from_float<T>(expf(camp::to_float(row[i]) - top) / sum);
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const Index width = static_cast<Index>(cols);
  softmax_kernel<T><<<static_cast<unsigned>(rows), 1024, 0, stream>>>(y, x, width);
}
