// kernel.cuh: reduce_sum, y[r] = sum of x[r, c] over c in [0, cols), accumulated in float32.
//
//   tensor     shape         dtype                     access
//   y          [rows]        T                         written once
//   x          [rows, cols]  T, row-major              read once
//   workspace  [bytes]       float, aligned to 256     written, then read; any contents before
//
// T is float, __half or __nv_bfloat16.
// Thread mapping: 8 threads, a warp or a block sum a row, by its width; few long rows are cut into
// parts of a block each, whose sums a second launch adds in a fixed order.
// Bytes moved: (rows * cols + rows) * sizeof(T), the least possible, plus 8 a part.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; rows and
// cols >= 0; a row without elements sums to 0.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"
#include "common/split.cuh"
#include "common/vector.cuh"

// The sum of `value` over groups of kWidth neighbouring lanes (a power of two); valid in every
// lane.
template <int kWidth = 32>
__device__ __forceinline__ float warp_sum(float value) {
  // camp:solution-begin 1: add up the lanes of each group with __shfl_xor_sync
#pragma unroll
  for (int offset = kWidth / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  // camp:solution-end
  return value;
}

// The sum of `value` over the block, a multiple of 32 threads; valid in thread 0 at least.
__device__ __forceinline__ float block_sum(float value) {
  // camp:solution-begin 2: one sum a warp into shared memory, a barrier, and a warp adds them up
  __shared__ float sums[32];  // one a warp
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;  // [0, warps)
  const int warps = static_cast<int>(blockDim.x) / 32;  // [1, 32]
  value = warp_sum(value);
  if (lane == 0) sums[warp] = value;
  __syncthreads();  // every warp's sum is written before warp 0 reads it
  if (warp == 0) value = warp_sum(lane < warps ? sums[lane] : 0.0f);
  // camp:solution-end
  return value;
}

// The part that thread `lane` of `lanes` adds up: of the n elements at x, those it visits.
template <typename T>
__device__ __forceinline__ float lane_sum(const T *x, int64_t n, int lane, int lanes) {
  float sum = 0.0f;
  // camp:solution-begin 3: add elements lane, lane + lanes, ... in float32 (later: 16 bytes a load)
  constexpr int size = camp::Vector<T>::size, batch = 4;  // vectors in flight a thread
  const int64_t stride = static_cast<int64_t>(lanes) * size;
  float sums[size] = {};  // one an element of the vector: short chains of additions
  // The first vector begins up to size - 1 elements before x, where 16 bytes are aligned.
  for (int64_t i = lane * size - camp::elements_past(x); i < n; i += batch * stride) {
    camp::Vector<T> loaded[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      loaded[b] = camp::load_within<size>(x, i + b * stride, n, camp::from_float<T>(0.0f));
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
#pragma unroll
      for (int k = 0; k < size; ++k) {
        sums[k] += camp::to_float(loaded[b].get(k));
      }
    }
  }
#pragma unroll
  for (int k = 0; k < size; ++k) {
    sum += sums[k];
  }
  // camp:solution-end
  return sum;
}

// A block a row: block r sums row r.
template <typename Out, typename In>
__global__ void reduce_sum_kernel(Out *__restrict__ y, const In *__restrict__ x, int64_t cols) {
  // camp:solution-begin 4: lane_sum over row blockIdx.x, block_sum, and thread 0 stores the sum
  const int64_t row = blockIdx.x;  // [0, rows)
  const float sum = block_sum(
      lane_sum(x + row * cols, cols, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)));
  if (threadIdx.x == 0) y[row] = camp::from_float<Out>(sum);
  // camp:solution-end
}

// camp:solution-begin 6: write reduce_sum_narrow_kernel: a warp, or 8 lanes, for a narrow row
// kLanes threads a row (a power of two up to 32), where a row cannot keep a block busy.
template <typename T, int kLanes>
__global__ void reduce_sum_narrow_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t rows,
                                         int64_t cols) {
  const int64_t row = camp::grid_thread() / kLanes;  // [0, rows rounded up to the block)
  const int lane = static_cast<int>(threadIdx.x % kLanes);
  // No early return: every lane of the warp must reach the shuffles.
  const float sum =
      warp_sum<kLanes>(row < rows ? lane_sum(x + row * cols, cols, lane, kLanes) : 0.0f);
  if (row < rows && lane == 0) y[row] = camp::from_float<T>(sum);
}

template <int kLanes, typename T>
void launch_narrow(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  constexpr int threads = 256;
  const unsigned blocks = camp::blocks_for(rows, threads / kLanes);
  reduce_sum_narrow_kernel<T, kLanes><<<blocks, threads, 0, stream>>>(y, x, rows, cols);
}
// camp:solution-end

// camp:solution-begin 7: split few long rows into parts: sums of parts, then reduce_sum_kernel
// A block a part: parts[r, p] = the sum of part p of row r.
template <typename T>
__global__ void reduce_sum_part_kernel(float *__restrict__ parts, const T *__restrict__ x,
                                       int64_t cols, camp::RowSplit split) {
  const int64_t row = blockIdx.x / split.parts;
  const int64_t begin = blockIdx.x % split.parts * split.length;  // [0, cols)
  const int64_t n = cols - begin < split.length ? cols - begin : split.length;
  const float sum = block_sum(lane_sum(x + row * cols + begin, n, static_cast<int>(threadIdx.x),
                                       static_cast<int>(blockDim.x)));
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}
// camp:solution-end

// Bytes of workspace that launch_reduce_sum wants; fixed by the shape, asked once at create.
inline size_t reduce_sum_workspace_bytes(int64_t rows, int64_t cols) {
  size_t bytes = 0;
  // camp:solution-begin 8: ask for one float a part where rows are split
  const camp::RowSplit split = camp::split_row(rows, cols);
  if (split.parts > 1) bytes = static_cast<size_t>(rows * split.parts) * sizeof(float);
  // camp:solution-end
  return bytes;
}

// Launches the sums on `stream`; rows = 0 launches nothing.
template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *workspace,
                       size_t workspace_bytes, cudaStream_t stream) {
  // camp:solution-begin 5: return if rows is 0, else launch reduce_sum_kernel: a block a row
  if (rows == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  const int64_t vectors = cols / camp::Vector<T>::size;
  const camp::RowSplit split = camp::split_row(rows, cols);
  if (split.parts > 1) {
    float *parts = static_cast<float *>(workspace);
    const unsigned blocks = static_cast<unsigned>(rows * split.parts);
    const int wide = split.length < 16384 ? threads : 512;
    reduce_sum_part_kernel<T><<<blocks, wide, 0, stream>>>(parts, x, cols, split);
    reduce_sum_kernel<T, float>
        <<<static_cast<unsigned>(rows), threads, 0, stream>>>(y, parts, split.parts);
  } else if (vectors <= 8) {
    launch_narrow<2>(y, x, rows, cols, stream);
  } else if (vectors <= 16) {
    launch_narrow<4>(y, x, rows, cols, stream);
  } else if (vectors <= 64) {
    launch_narrow<8>(y, x, rows, cols, stream);
  } else if (vectors <= 256) {
    launch_narrow<32>(y, x, rows, cols, stream);
  } else {
    const unsigned wide = vectors <= 512     ? 128
                          : vectors <= 4096  ? 256
                          : vectors <= 16384 ? 512
                                             : 1024;
    reduce_sum_kernel<T, T><<<static_cast<unsigned>(rows), wide, 0, stream>>>(y, x, cols);
  }
  // camp:solution-end
}
