// block.cuh: reductions among all threads of a block, built on warp.cuh.
//
// Every thread of the block calls (each function holds barriers); the block is one-dimensional with
// a multiple of 32 threads, at most 1024. The result is valid in every thread. Calls may follow one
// another without a barrier between them.
#pragma once

#include <cuda_runtime.h>

#include "common/warp.cuh"

namespace camp {

// Puts one value a warp into shared memory and gives lane l the value of warp l, or `neutral` where
// there is no such warp: afterwards each warp can finish the reduction by itself.
__device__ __forceinline__ float exchange_between_warps(float value, float neutral) {
  __shared__ float slots[kWarpSize];
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;  // [0, 32)
  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;  // [0, warps)
  const int warps = static_cast<int>(blockDim.x) / kWarpSize;  // [1, 32]
  if (lane == 0) slots[warp] = value;
  __syncthreads();  // the slots of all warps are written before any warp reads them
  const float other = lane < warps ? slots[lane] : neutral;
  __syncthreads();  // all warps have read before the next call overwrites the slots
  return other;
}

// The sum over the block; valid in every thread.
__device__ __forceinline__ float block_sum(float value) {
  return warp_sum(exchange_between_warps(warp_sum(value), 0.0f));
}

// The maximum over the block; valid in every thread. NaN loses against any number.
__device__ __forceinline__ float block_max(float value) {
  return warp_max(exchange_between_warps(warp_max(value), -INFINITY));
}

}  // namespace camp
