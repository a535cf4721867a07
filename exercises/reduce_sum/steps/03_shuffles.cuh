// 03_shuffles.cuh: reduce_sum, y[r] = sum of x[r, c] over c in [0, cols), accumulated in float32.
//
//   tensor     shape         dtype                     access
//   y          [rows]        T                         written once
//   x          [rows, cols]  T, row-major              read once
//
// T is float, __half or __nv_bfloat16.
// Thread mapping: block r sums row r. Thread t adds elements t, t + 256, ..., then each warp adds
// up by shuffles, and the first warp the sums of all warps.
// Bytes moved: (rows * cols + rows) * sizeof(T), the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; rows and cols >= 0; a row
// without elements sums to 0.
// Since 02_tree: lanes read one another's registers; it is faster because one barrier is left of
// nine, shared memory holds a float a warp in place of a float a thread, and every lane of a warp
// takes part where the tree kept all warps busy with fewer and fewer lanes.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

constexpr int kThreads = 256;  // a block

// The sum over the warp; valid in every lane.
__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

// The sum over the block; valid in thread 0.
__device__ __forceinline__ float block_sum(float value) {
  constexpr int warps = kThreads / 32;
  __shared__ float sums[warps];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;  // [0, warps)
  value = warp_sum(value);
  if (lane == 0) sums[warp] = value;
  __syncthreads();  // every warp's sum is written before warp 0 reads it
  if (warp == 0) value = warp_sum(lane < warps ? sums[lane] : 0.0f);
  return value;
}

template <typename T>
__global__ void reduce_sum_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols) {
  x += blockIdx.x * cols;
  float sum = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    sum += camp::to_float(x[c]);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = camp::from_float<T>(sum);
}

// Bytes of workspace that launch_reduce_sum wants: none.
inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

// Launches the sums on `stream`; rows = 0 launches nothing.
template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;  // a grid of 0 blocks is an error
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(y, x, cols);
}
