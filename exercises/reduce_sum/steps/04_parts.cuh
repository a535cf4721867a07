// 04_parts.cuh: reduce_sum, y[r] = sum of x[r, c] over c in [0, cols), accumulated in float32.
//
//   tensor     shape         dtype                     access
//   y          [rows]        T                         written once
//   x          [rows, cols]  T, row-major              read once
//   workspace  [parts]       float, aligned to 256     written, then read
//
// T is float, __half or __nv_bfloat16.
// Thread mapping: block r sums row r, or where there are few long rows a part of a row, whose sums
// a second launch adds. Thread t adds elements t, t + 256, ..., four at a time.
// Bytes moved: (rows * cols + rows) * sizeof(T), the least possible, plus 8 a part.
// Preconditions: x and y are aligned to sizeof(T), and only to that; rows and cols >= 0; a row
// without elements sums to 0.
// Since 03_shuffles: few long rows are cut into parts, and a thread starts four loads before it
// adds the first; it is faster because one row keeps all multiprocessors busy and not one of them,
// and four times the bytes are under way. The parts are added in a fixed order: no atomics.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/block.cuh"
#include "common/dtype.cuh"
#include "common/split.cuh"

constexpr int kThreads = 256;  // a block
constexpr int kBatch = 4;      // loads under way in a thread

// The sum of the n elements at x over the block; valid in every thread.
template <typename T>
__device__ __forceinline__ float stretch_sum(const T *x, int64_t n) {
  float sums[kBatch] = {};  // several, so that additions do not wait for each other
  for (int64_t i = threadIdx.x; i < n; i += kBatch * kThreads) {
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      if (i + b * kThreads < n) sums[b] += camp::to_float(x[i + b * kThreads]);
    }
  }
  return camp::block_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// A block a row: block r sums row r.
template <typename Out, typename In>
__global__ void reduce_sum_kernel(Out *__restrict__ y, const In *__restrict__ x, int64_t cols) {
  const float sum = stretch_sum(x + blockIdx.x * cols, cols);
  if (threadIdx.x == 0) y[blockIdx.x] = camp::from_float<Out>(sum);
}

// A block a part: parts[r, p] = the sum of part p of row r.
template <typename T>
__global__ void reduce_sum_part_kernel(float *__restrict__ parts, const T *__restrict__ x,
                                       int64_t cols, camp::RowSplit split) {
  const int64_t row = blockIdx.x / split.parts;
  const int64_t begin = blockIdx.x % split.parts * split.length;  // [0, cols)
  const int64_t n = cols - begin < split.length ? cols - begin : split.length;
  const float sum = stretch_sum(x + row * cols + begin, n);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// Bytes of workspace that launch_reduce_sum wants; fixed by the shape, asked once at create.
inline size_t reduce_sum_workspace_bytes(int64_t rows, int64_t cols) {
  const camp::RowSplit split = camp::split_row(rows, cols);
  return split.parts > 1 ? static_cast<size_t>(rows * split.parts) * sizeof(float) : 0;
}

// Launches the sums on `stream`; rows = 0 launches nothing.
template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *workspace,
                       size_t workspace_bytes, cudaStream_t stream) {
  if (rows == 0) return;  // a grid of 0 blocks is an error
  const unsigned blocks = static_cast<unsigned>(rows);
  const camp::RowSplit split = camp::split_row(rows, cols);
  if (split.parts > 1) {
    float *parts = static_cast<float *>(workspace);
    const unsigned part_blocks = static_cast<unsigned>(rows * split.parts);
    reduce_sum_part_kernel<T><<<part_blocks, kThreads, 0, stream>>>(parts, x, cols, split);
    reduce_sum_kernel<T, float><<<blocks, kThreads, 0, stream>>>(y, parts, split.parts);
  } else {
    reduce_sum_kernel<T, T><<<blocks, kThreads, 0, stream>>>(y, x, cols);
  }
}
