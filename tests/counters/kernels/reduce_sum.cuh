// Row sums that waste something, beside one that does not. They run one after the other, and each
// leaves the sums in y.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/dtype.cuh"

constexpr int kThreads = 256;

template <typename T>
__device__ float strided_sum(const T *row, int64_t cols) {
  float sum = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    sum += camp::to_float(row[c]);
  }
  return sum;
}

// Every lane adds to the row's one address.
__global__ void atomic_sum(float *y, const float *x, int64_t cols) {
  const float sum = strided_sum(x + blockIdx.x * cols, cols);
  atomicAdd(&y[blockIdx.x], sum);  // atomic
}

// A tree whose partners lie further apart each step, so that lanes and banks are left idle.
template <typename T>
__global__ void spread_tree_sum(T *y, const T *x, int64_t cols) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = strided_sum(x + blockIdx.x * cols, cols);
  __syncthreads();  // all sums are written before any is read
  for (int step = 1; step < kThreads; step *= 2) {
    if (threadIdx.x % (2 * step) == 0) {
      sums[threadIdx.x] += sums[threadIdx.x + step];  // tree
    }
    __syncthreads();  // this step's sums are written before the next reads them
  }
  if (threadIdx.x == 0) y[blockIdx.x] = camp::from_float<T>(sums[0]);
}

// Shuffles within a warp, one barrier, and the first warp again.
template <typename T>
__global__ void shuffle_sum(T *y, const T *x, int64_t cols) {
  __shared__ float sums[kThreads / 32];
  float sum = strided_sum(x + blockIdx.x * cols, cols);
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();  // the sums of all warps are written before warp 0 reads them
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < kThreads / 32 ? sums[threadIdx.x] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  if (threadIdx.x == 0) y[blockIdx.x] = camp::from_float<T>(sum);
}

inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  const unsigned blocks = static_cast<unsigned>(rows);
  if constexpr (std::is_same_v<T, float>) {
    cudaMemsetAsync(y, 0, static_cast<size_t>(rows) * sizeof(T), stream);
    atomic_sum<<<blocks, kThreads, 0, stream>>>(y, x, cols);
  }
  spread_tree_sum<T><<<blocks, kThreads, 0, stream>>>(y, x, cols);
  shuffle_sum<T><<<blocks, kThreads, 0, stream>>>(y, x, cols);
}
