// spilling.cuh: 64 values alive at once in a kernel that asks for 32 registers a thread.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

__global__ void __launch_bounds__(1024, 2) crowded_kernel(float *x) {
  float values[64];
#pragma unroll
  for (int i = 0; i < 64; ++i)
    values[i] = x[threadIdx.x + i * 1024];
#pragma unroll
  for (int round = 0; round < 4; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i)
      values[i] = values[i] * values[(i * 7 + 3) % 64] + values[(i * 5 + round) % 64];
  }
#pragma unroll
  for (int i = 0; i < 64; ++i)
    x[threadIdx.x + i * 1024] = values[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {}
