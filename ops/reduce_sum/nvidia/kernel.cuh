// kernel.cuh: reduce_sum, y[r] = sum of x[r, c] over c in [0, cols), accumulated in float32.
//
//   tensor     shape         dtype                     access
//   y          [rows]        T                         written once
//   x          [rows, cols]  T, row-major              read once
//   workspace  [bytes]       aligned to 256            zeros before the launch, and after it
//
// T is float, __half or __nv_bfloat16.
// Thread mapping: a few threads, a warp or a block sum a row, by its width; few long rows are cut
// into parts of a block each, and the block that started last adds the parts in a fixed order.
// Bytes moved: (rows * cols + rows) * sizeof(T), the least possible, plus 32 a part.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; rows and
// cols >= 0; a row without elements sums to 0.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"
#include "common/handover.cuh"
#include "common/split.cuh"
#include "common/vector.cuh"

// The sum of `value` over groups of kWidth neighbouring lanes (a power of two); valid in every
// lane.
template <int kWidth = 32>
__device__ __forceinline__ float warp_sum(float value) {
  // TODO(camp) 1: add up the lanes of each group with __shfl_xor_sync
  return value;
}

// The sum of `value` over a block of kThreads, a multiple of 32; valid in thread 0 at least.
template <int kThreads>
__device__ __forceinline__ float block_sum(float value) {
  // TODO(camp) 2: one sum a warp into shared memory, a barrier, and a warp adds them up
  return value;
}

// The part that thread `lane` of kLanes adds up: of the n elements at x, those it visits. kBatch is
// how many loads it starts before it adds.
template <int kLanes, int kBatch = 4, typename T>
__device__ __forceinline__ float lane_sum(const T *x, int64_t n, int lane) {
  float sum = 0.0f;
  // TODO(camp) 3: add elements lane, lane + kLanes, ... (later: 16 bytes a load)
  return sum;
}

// A block a row: block r sums row r.
template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads)
    reduce_sum_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols) {
  // TODO(camp) 4: lane_sum over row blockIdx.x, block_sum, and thread 0 stores the sum
}

// TODO(camp) 6: write reduce_sum_narrow_kernel: a warp, or a few lanes, for a narrow row

// TODO(camp) 7: split few long rows into parts, a block each, and add up the parts

// Bytes of workspace that launch_reduce_sum wants; fixed by the shape, asked once at create.
inline size_t reduce_sum_workspace_bytes(int64_t rows, int64_t cols) {
  size_t bytes = 0;
  // TODO(camp) 8: ask for what the blocks leave behind where rows are split
  return bytes;
}

// Launches the sums on `stream`; rows = 0 launches nothing.
template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *workspace,
                       size_t workspace_bytes, cudaStream_t stream) {
  // TODO(camp) 5: return if rows is 0, else launch reduce_sum_kernel: a block a row
}
