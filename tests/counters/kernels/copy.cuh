// Copies that waste something, each beside a twin that does not. They run one after the other, and
// every one writes all of y.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

constexpr int kThreads = 256, kRun = 32;  // elements that a thread of strided_copy takes

template <typename T>
__global__ void plain_copy(T *y, const T *x, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];  // plain
}

template <typename T>
__global__ void strided_copy(T *y, const T *x, int64_t n) {
  const int64_t first = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kRun;
  for (int64_t i = first; i < first + kRun && i < n; ++i) {
    y[i] = x[i];  // strided
  }
}

template <typename T>
__global__ void shifted_copy(T *y, const T *x, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x + 1;
  if (i < n) y[i] = x[i];  // shifted
  if (i == 1) y[0] = x[0];
}

// Through a tile of shared memory whose rows lie 32 (a conflict) or 33 elements apart.
template <int kPitch, typename T>
__global__ void tiled_copy(T *y, const T *x, int64_t n) {
  __shared__ T tile[32 * kPitch];
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int column = threadIdx.x % 32, row = threadIdx.x / 32;
  if (i < n) tile[column * kPitch + row] = x[i];  // tiled
  __syncthreads();                                // the tile is written before it is read
  if (i < n) y[i] = tile[column * kPitch + row];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = [n](int elements) {
    return static_cast<unsigned>((n + elements - 1) / elements);
  };
  plain_copy<T><<<blocks(kThreads), kThreads, 0, stream>>>(y, x, n);
  strided_copy<T><<<blocks(kThreads * kRun), kThreads, 0, stream>>>(y, x, n);
  shifted_copy<T><<<blocks(kThreads), kThreads, 0, stream>>>(y, x, n);
  tiled_copy<32, T><<<blocks(kThreads), kThreads, 0, stream>>>(y, x, n);
  tiled_copy<33, T><<<blocks(kThreads), kThreads, 0, stream>>>(y, x, n);
}
