// 05_vectors.cuh: reduce_sum, y[r] = sum of x[r, c] over c in [0, cols), accumulated in float32.
//
//   tensor     shape         dtype                     access
//   y          [rows]        T                         written once
//   x          [rows, cols]  T, row-major              read once
//   workspace  [parts]       float, aligned to 256     written, then read
//
// T is float, __half or __nv_bfloat16.
// Thread mapping: 8 threads, a warp or a block sum a row, by its width, and each of them takes
// vectors of 16 bytes, four at a time. Few long rows are cut into parts of a block each, whose sums
// a second launch adds in a fixed order.
// Bytes moved: (rows * cols + rows) * sizeof(T), the least possible, plus 8 a part.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; rows and
// cols >= 0; a row without elements sums to 0.
// Since 04_parts: 16 bytes a load, and 8 threads or a warp for a row that would leave a block idle;
// it is faster because a quarter of the requests asks for the same bytes, and rows that fit a warp
// meet no barrier.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/block.cuh"
#include "common/dtype.cuh"
#include "common/grid.cuh"
#include "common/split.cuh"
#include "common/vector.cuh"
#include "common/warp.cuh"

// The part that thread `lane` of `lanes` adds up: of the n elements at x, those it visits.
template <typename T>
__device__ __forceinline__ float lane_sum(const T *x, int64_t n, int lane, int lanes) {
  float sum = 0.0f;
  constexpr int size = camp::Vector<T>::size, batch = 4;  // vectors under way in a thread
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
  return sum;
}

// A block a row: block r sums row r.
template <typename Out, typename In>
__global__ void reduce_sum_kernel(Out *__restrict__ y, const In *__restrict__ x, int64_t cols) {
  const int64_t row = blockIdx.x;  // [0, rows)
  const float sum = camp::block_sum(
      lane_sum(x + row * cols, cols, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)));
  if (threadIdx.x == 0) y[row] = camp::from_float<Out>(sum);
}

// kLanes threads a row (a power of two up to 32), where a row cannot keep a block busy.
template <typename T, int kLanes>
__global__ void reduce_sum_narrow_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t rows,
                                         int64_t cols) {
  const int64_t row = camp::grid_thread() / kLanes;  // [0, rows rounded up to the block)
  const int lane = static_cast<int>(threadIdx.x % kLanes);
  // No early return: every lane of the warp must reach the shuffles.
  const float sum =
      camp::warp_sum<kLanes>(row < rows ? lane_sum(x + row * cols, cols, lane, kLanes) : 0.0f);
  if (row < rows && lane == 0) y[row] = camp::from_float<T>(sum);
}

template <int kLanes, typename T>
void launch_narrow(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  constexpr int threads = 256;
  const unsigned blocks = camp::blocks_for(rows, threads / kLanes);
  reduce_sum_narrow_kernel<T, kLanes><<<blocks, threads, 0, stream>>>(y, x, rows, cols);
}

// A block a part: parts[r, p] = the sum of part p of row r.
template <typename T>
__global__ void reduce_sum_part_kernel(float *__restrict__ parts, const T *__restrict__ x,
                                       int64_t cols, camp::RowSplit split) {
  const int64_t row = blockIdx.x / split.parts;
  const int64_t begin = blockIdx.x % split.parts * split.length;  // [0, cols)
  const int64_t n = cols - begin < split.length ? cols - begin : split.length;
  const float sum = camp::block_sum(lane_sum(
      x + row * cols + begin, n, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)));
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
  } else if (vectors <= 64) {
    launch_narrow<8>(y, x, rows, cols, stream);
  } else if (vectors <= 256) {
    launch_narrow<32>(y, x, rows, cols, stream);
  } else {
    const unsigned wide = vectors <= 4096 ? threads : vectors <= 16384 ? 512 : 1024;
    reduce_sum_kernel<T, T><<<static_cast<unsigned>(rows), wide, 0, stream>>>(y, x, cols);
  }
}
