// included.cuh: device code that memory.cu and launches.cu include.
#pragma once

#include <cuda_runtime.h>

__device__ inline int twice(int x) {
  return 2 * x;
}
// Its own static shared memory, in whatever kernel calls it.
__device__ inline int block_maximum(int value) {
  __shared__ int most;
  if (threadIdx.x == 0) most = value;
  __syncthreads();
  atomicMax(&most, value);
  __syncthreads();
  const int result = most;
  __syncthreads();
  return result;
}
template <typename T, int Count>
struct Window {
  T cells[Count];
  __device__ T sum() const {
    T result = T(0);
#pragma unroll
    for (int i = 0; i < Count; ++i)
      result += cells[i];
    return result;
  }
};
struct Scale {
  float factor;
  __host__ __device__ float operator()(float x) const { return x * factor; }
};
