// kernel.cuh: softmax over rows, y[r, c] = exp(x[r, c] - m) / sum of exp(x[r, k] - m) over k,
// where m is the maximum of row r.
//
//   tensor  shape         dtype           access
//   y       [rows, cols]  T, row-major    written once
//   x       [rows, cols]  T, row-major    read once; twice in rows too long for registers
//
// T is float, __half or __nv_bfloat16, computed in float32 and rounded once.
// Thread mapping: a group of 2 threads up to a whole block takes a row; on sm_90 a cluster of up to
// 16 blocks, where no block holds one.
// Bytes moved: 2 * rows * cols * sizeof(T), the least possible; 1.5 times that in long rows.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; rows and
// cols >= 0. A row of -inf only, or one that holds a NaN, becomes NaN; +inf is not provided for.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"
#include "common/math.cuh"
#include "common/tile.cuh"
#include "common/vector.cuh"
#include "common/warp.cuh"
#ifndef CAMP_SIM
#include "common/cluster.cuh"
#include "common/staged_tile.cuh"
#endif

// What is known of some elements of a row, in powers of 2: `max` is the largest element times
// log2(e), `sum` is the sum of exp(element) / 2^max. Without elements, or with -inf only, they are
// -inf and 0.
struct Moments {
  float max;
  float sum;
};

// exp(value) / 2^max in two instructions. 0 for -inf, even if the maximum is -inf too: then -inf is
// taken for 0, which avoids the NaN of -inf - -inf.
__device__ __forceinline__ float exp_below(float value, float max) {
  return camp::fast_exp2(fmaf(value, camp::kLog2e, max == -INFINITY ? 0.0f : -max));
}

// 2^from / 2^to: what a sum shrinks by where the maximum rises. 0 where from is -inf.
__device__ __forceinline__ float shrink(float from, float to) {
  return camp::fast_exp2(from - (to == -INFINITY ? 0.0f : to));
}

// The moments of a group of kLanes neighbouring threads (a power of two; 32 at most, or the whole
// block) from those of each thread; valid in every thread of the group.
template <int kLanes>
__device__ __forceinline__ Moments group_moments(Moments mine) {
  // TODO(camp) 1: merge the moments: maxima first, then each sum shrunk to the new maximum
  return mine;
}

// A block of kThreads a row, of any length: one pass for the moments, a second one that writes.
// With kSize above 1, a thread moves vectors, and x and y must lie equally far past a multiple
// of 16.
template <typename T, int kThreads, int kSize>
__global__ void softmax_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols) {
  // TODO(camp) 2: row blockIdx.x: running moments, group_moments, then write the row
}

// TODO(camp) 4: write softmax_register_kernel: a group a row, the row read once

// TODO(camp) 5: optional, for sm_90: a cluster of blocks a row that no block can hold

// Launches the softmax on `stream`; nothing to write launches nothing.
template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  // TODO(camp) 3: return if rows or cols is 0, else launch softmax_kernel: a block a row
}
