// grid.cuh: how many blocks to launch, and which item is a thread's.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace camp {

// The x extent of a grid; y and z end at 65535, so rows and elements always go on x.
inline constexpr int64_t kMaxBlocks = 2147483647;

// Blocks that give each of `items` (> 0) one thread, at most kMaxBlocks. A kernel that may meet
// more items than threads steps by grid_threads().
inline unsigned blocks_for(int64_t items, int threads_per_block) {
  const int64_t blocks = (items - 1) / threads_per_block + 1;
  return static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

// Multiprocessors of the current device.
inline int multiprocessors() {
  int device = 0, count = 1;
  (void)cudaGetDevice(&device);
  (void)cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

// This thread's number in a one-dimensional grid: [0, grid_threads()). 64 bits, for the product
// leaves 32 bits from 2^31 elements on.
__device__ __forceinline__ int64_t grid_thread() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// Threads of a one-dimensional grid.
__device__ __forceinline__ int64_t grid_threads() {
  return static_cast<int64_t>(gridDim.x) * blockDim.x;
}

}  // namespace camp
