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
  // camp:solution-begin 1: merge the moments: maxima first, then each sum shrunk to the new maximum
  constexpr int width = kLanes < 32 ? kLanes : 32;
  const float max = camp::warp_max<width>(mine.max);
  const float sum = camp::warp_sum<width>(mine.sum * shrink(mine.max, max));
  mine = Moments{max, sum};
  if constexpr (kLanes > 32) {
    constexpr int warps = kLanes / 32;  // [2, 32]
    __shared__ Moments shared[warps];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (lane == 0) shared[threadIdx.x / 32] = mine;
    __syncthreads();  // the moments of all warps are written before any warp reads them
    mine = lane < warps ? shared[lane] : Moments{-INFINITY, 0.0f};
    // Nobody writes `shared` again: a block takes one row.
    mine = group_moments<32>(mine);
  }
  // camp:solution-end
  return mine;
}

// A block of kThreads a row, of any length: one pass for the moments, a second one that writes.
// With kSize above 1, a thread moves vectors, and x and y must lie equally far past a multiple
// of 16.
template <typename T, int kThreads, int kSize>
__global__ void softmax_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols) {
  // camp:solution-begin 2: row blockIdx.x: running moments, group_moments, then write the row
  constexpr int vectors = 4;                             // a thread and step
  constexpr int64_t width = kThreads * vectors * kSize;  // elements a block and step
  const int lane = static_cast<int>(threadIdx.x);
  const T *const x_row = x + blockIdx.x * cols;
  T *const y_row = y + blockIdx.x * cols;
  camp::RegisterTile<T, kThreads, vectors, kSize> tile;
  Moments mine{-INFINITY, 0.0f};
  for (int64_t begin = 0; begin < cols; begin += width) {
    const int n = static_cast<int>(cols - begin < width ? cols - begin : width);
    tile.load(x_row + begin, n, lane, -INFINITY);
    const float max = fmaxf(mine.max, tile.max() * camp::kLog2e);
    mine.sum *= shrink(mine.max, max);
    mine.max = max;
#pragma unroll
    for (const float value : tile.value) {
      mine.sum += exp_below(value, max);
    }
  }
  const Moments row = group_moments<kThreads>(mine);
  const float scale = 1.0f / row.sum;
  for (int64_t begin = 0; begin < cols; begin += width) {
    const int n = static_cast<int>(cols - begin < width ? cols - begin : width);
    tile.load(x_row + begin, n, lane, -INFINITY);
#pragma unroll
    for (float &value : tile.value) {
      value = exp_below(value, row.max) * scale;
    }
    tile.store(y_row + begin, n, lane);
  }
  // camp:solution-end
}

// camp:solution-begin 4: write softmax_register_kernel: a group a row, the row read once
// Replaces a thread's elements by their exponentials below 2^max; gives their moments.
template <typename Tile>
__device__ __forceinline__ Moments exponentials(Tile &tile, float max) {
  Moments mine{max, 0.0f};
#pragma unroll
  for (int i = 0; i < Tile::size; ++i) {
    tile.value[i] = exp_below(tile.value[i], mine.max);
    mine.sum += tile.value[i];
  }
  return mine;
}

// Sets a thread's exponentials right for a row: from those below 2^mine.max to those below
// 2^row.max, divided by their sum.
template <typename Tile>
__device__ __forceinline__ void normalize(Tile &tile, Moments mine, Moments row) {
  const float scale = __fdividef(shrink(mine.max, row.max), row.sum);
#pragma unroll
  for (int i = 0; i < Tile::size; ++i) {
    tile.value[i] *= scale;
  }
}

// kLanes threads a row that fits their registers: each holds kVectors vectors of kSize elements.
// With `ahead` above 0, the row so many rows further on is brought into the L2 cache.
template <int kLanes, int kVectors, int kSize, typename T>
__global__ void softmax_register_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t rows,
                                        int cols, int ahead) {
  const int64_t row = camp::grid_thread() / kLanes;  // [0, rows rounded up to the block)
  const int lane = static_cast<int>(threadIdx.x % kLanes);
  // No early return: every thread must reach the shuffles. Groups past the last row have 0 columns.
  const int n = row < rows ? cols : 0;
  camp::RegisterTile<T, kLanes, kVectors, kSize> tile;
  tile.load(x + row * cols, n, lane, -INFINITY);
  if (kLanes == 1024 && ahead > 0 && row + ahead < rows) {
    tile.prefetch(x + (row + ahead) * cols, n, lane);
  }
  const Moments mine = exponentials(tile, tile.max() * camp::kLog2e);
  normalize(tile, mine, group_moments<kLanes>(mine));
  tile.store(y + row * cols, n, lane);
}

// Launches softmax_register_kernel if a row fits; says whether it did.
template <int kLanes, int kVectors, int kSize, typename T>
bool fits(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  // With one warp a block, a multiprocessor has no room for all the blocks it needs; with one
  // vector a thread, it needs twice as many threads.
  constexpr int least = kVectors == 1 ? 128 : 64;
  constexpr int threads = kLanes < least ? least : kLanes;
  // The head and the tail of a row have room beside its vectors.
  if (cols > kLanes * kVectors * kSize) return false;
  const int ahead = kLanes == 1024 && sizeof(T) == 2 ? camp::multiprocessors() : 0;
  softmax_register_kernel<kLanes, kVectors, kSize>
      <<<camp::blocks_for(rows, threads / kLanes), threads, 0, stream>>>(
          y, x, rows, static_cast<int>(cols), ahead);
  return true;
}
// camp:solution-end

// camp:solution-begin 5: optional, for sm_90: a cluster of blocks a row that no block can hold
#ifndef CAMP_SIM
// The moments of a row from those of its warps, the same array in every warp of its blocks.
__device__ __forceinline__ Moments merged(const Moments *warps, int count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float max = -INFINITY, sum = 0.0f;
  for (int w = lane; w < count; w += 32) {
    max = fmaxf(max, warps[w].max);
  }
  max = camp::warp_max(max);
  for (int w = lane; w < count; w += 32) {
    sum += warps[w].sum * shrink(warps[w].max, max);
  }
  return Moments{max, camp::warp_sum(sum)};
}

// A block of a cluster holds 64 elements a thread in registers, and the next 64 in shared memory.
template <typename T>
struct ClusterShape {
  static constexpr int threads = 128 * static_cast<int>(sizeof(T));
  static constexpr int vectors = 64 / camp::Vector<T>::size;
  static constexpr int blocks_an_sm = 1024 / threads / 2;
  using Tile = camp::StagedTile<T, threads, vectors>;
};

// A cluster a row, then the next: block b takes the `part` columns from b * part on, a multiple of
// a vector. While it works on a row, the next one is on its way to it.
template <typename T>
__global__ void __launch_bounds__(ClusterShape<T>::threads, ClusterShape<T>::blocks_an_sm)
    softmax_cluster_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t rows, int cols,
                           int part) {
#if CAMP_HAS_CLUSTERS
  constexpr int warps = ClusterShape<T>::threads / 32;  // a block
  extern __shared__ uint4 staged[];
  __shared__ camp::ClusterExchange<Moments, warps> exchange;
  const int lane = static_cast<int>(threadIdx.x);
  const int blocks = camp::cluster_blocks();
  const int begin = camp::cluster_rank() * part;  // [0, cols + size * blocks)
  const int n = cols - begin < part ? max(cols - begin, 0) : part;
  const int64_t clusters = gridDim.x / blocks;  // [1, rows]
  const int64_t stride = clusters * cols;       // from a row of this cluster to its next one
  int64_t row = blockIdx.x / blocks;
  x += row * cols + begin;
  y += row * cols + begin;
  typename ClusterShape<T>::Tile tile(staged, lane);
  tile.fetch(x, n, lane);
  exchange.begin();
  for (unsigned round = 0; row < rows; ++round) {
    tile.take(x, n, lane, -INFINITY);
    const float highest = tile.max() * camp::kLog2e;
    row += clusters;
    x += stride;
    if (row < rows) tile.fetch(x, n, lane);
    const Moments mine = exponentials(tile, highest);
    const Moments *const all = exchange.exchange(group_moments<32>(mine), round);
    normalize(tile, mine, merged(all, blocks * warps));
    tile.store(y, n, lane);
    y += stride;
  }
  exchange.end();
#endif
}

// Launches softmax_cluster_kernel if the device has clusters that hold a row; says whether it did.
template <typename T>
bool fits_cluster(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  using Shape = ClusterShape<T>;
  constexpr int size = camp::Vector<T>::size;
  constexpr int held = Shape::threads * Shape::vectors * size;  // by a block
  if (cols > camp::kMaxClusterBlocks * held) return false;
  const int blocks = static_cast<int>((cols - 1) / held + 1);
  const int vectors = static_cast<int>((cols - 1) / (blocks * size) + 1);  // of a part
  constexpr auto kernel = softmax_cluster_kernel<T>;
  constexpr size_t bytes = Shape::Tile::staged_bytes;
  const int clusters = camp::resident_clusters<kernel>(blocks, Shape::threads, bytes);
  if (clusters == 0) return false;
  camp::launch_clusters<kernel>(rows < clusters ? static_cast<int>(rows) : clusters, blocks,
                                Shape::threads, bytes, stream, y, x, rows, static_cast<int>(cols),
                                vectors * size);
  return true;
}
#endif  // CAMP_SIM
// camp:solution-end

// Launches the softmax on `stream`; nothing to write launches nothing.
template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  // camp:solution-begin 3: return if rows or cols is 0, else launch softmax_kernel: a block a row
  if (rows == 0 || cols == 0) return;  // a grid of 0 blocks is an error
  constexpr int size = camp::Vector<T>::size;
  constexpr int m = 8 / size;  // 2 for float, 1 for 16-bit types
  // The smallest shape that holds a row: single elements up to 32 columns, then vectors.
  if (fits<2, 1, 1>(y, x, rows, cols, stream) || fits<8, 1, 1>(y, x, rows, cols, stream) ||
      fits<32, 1, 1>(y, x, rows, cols, stream)) {
    return;
  }
  const unsigned blocks = static_cast<unsigned>(rows);
  if (!camp::same_vector_phase(y, x)) {
    softmax_kernel<T, 256, 1><<<blocks, 256, 0, stream>>>(y, x, cols);
    return;
  }
  const bool held = fits<16, 1, size>(y, x, rows, cols, stream) ||
                    fits<32, 1, size>(y, x, rows, cols, stream) ||
                    fits<32, 4, size>(y, x, rows, cols, stream) ||
                    fits<32 * m, 4, size>(y, x, rows, cols, stream) ||
                    fits<64 * m, 4, size>(y, x, rows, cols, stream) ||
                    fits<128, 4 * m, size>(y, x, rows, cols, stream) ||
                    fits<256, 4 * m, size>(y, x, rows, cols, stream) ||
                    fits<512, 4 * m, size>(y, x, rows, cols, stream) ||
                    fits<1024, 4 * m, size>(y, x, rows, cols, stream);
  if (held) return;
#ifndef CAMP_SIM
  if (fits_cluster(y, x, rows, cols, stream)) return;
#endif
  softmax_kernel<T, 1024, size><<<blocks, 1024, 0, stream>>>(y, x, cols);
  // camp:solution-end
}
