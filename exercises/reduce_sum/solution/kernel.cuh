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
  // camp:solution-begin 1: add up the lanes of each group with __shfl_xor_sync
#pragma unroll
  for (int offset = kWidth / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  // camp:solution-end
  return value;
}

// The sum of `value` over a block of kThreads, a multiple of 32; valid in thread 0 at least.
template <int kThreads>
__device__ __forceinline__ float block_sum(float value) {
  // camp:solution-begin 2: one sum a warp into shared memory, a barrier, and a warp adds them up
  constexpr int warps = kThreads / 32;  // [1, 32]
  __shared__ float sums[warps];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;  // [0, warps)
  value = warp_sum(value);
  if (lane == 0) sums[warp] = value;
  __syncthreads();  // every warp's sum is written before warp 0 reads it
  if (warp == 0) value = warp_sum(lane < warps ? sums[lane] : 0.0f);
  // camp:solution-end
  return value;
}

// The part that thread `lane` of kLanes adds up: of the n elements at x, those it visits. kBatch is
// how many loads it starts before it adds.
template <int kLanes, int kBatch = 4, typename T>
__device__ __forceinline__ float lane_sum(const T *x, int64_t n, int lane) {
  float sum = 0.0f;
  // camp:solution-begin 3: add elements lane, lane + kLanes, ... (later: 16 bytes a load)
  constexpr int size = camp::Vector<T>::size;
  constexpr int edges = (2 * size - 2 + kLanes - 1) / kLanes;
  const camp::VectorCut<int64_t> cut = camp::cut_at_vectors<size>(x, n);
  // Elements of head and tail, loaded first so that they are under way with the vectors; they are
  // converted last, for that would wait for them.
  T edge[edges];
#pragma unroll
  for (int e = 0; e < edges; ++e) {
    int64_t i = lane + e * kLanes;
    if (i >= cut.head) i += cut.tail - cut.head;
    edge[e] = i < n ? x[i] : camp::from_float<T>(0.0f);
  }
  float sums[4] = {};  // several, so that additions do not wait for each other
  const T *next = x + cut.head + lane * size;
  // 32 bits count the vectors of any row that fits a GPU. Not unrolled: what is under way is
  // `kBatch`, and registers for more would cost occupancy.
#pragma unroll 1
  for (int left = static_cast<int>(cut.vectors) - lane; left > 0; left -= kBatch * kLanes) {
    camp::Vector<T> loaded[kBatch];  // zeros
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      if (left > b * kLanes) loaded[b] = camp::load_vector_once(next + b * kLanes * size);
    }
    next += kBatch * kLanes * size;
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
#pragma unroll
      for (int k = 0; k < size; ++k) {
        sums[k % 4] += camp::to_float(loaded[b].get(k));
      }
    }
  }
  sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
#pragma unroll
  for (int e = 0; e < edges; ++e) {
    sum += camp::to_float(edge[e]);
  }
  // camp:solution-end
  return sum;
}

// A block a row: block r sums row r.
template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads)
    reduce_sum_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols) {
  // camp:solution-begin 4: lane_sum over row blockIdx.x, block_sum, and thread 0 stores the sum
  const int64_t row = blockIdx.x;  // [0, rows)
  const int thread = static_cast<int>(threadIdx.x);
  const float sum = block_sum<kThreads>(lane_sum<kThreads>(x + row * cols, cols, thread));
  if (thread == 0) y[row] = camp::from_float<T>(sum);
  // camp:solution-end
}

// camp:solution-begin 6: write reduce_sum_narrow_kernel: a warp, or a few lanes, for a narrow row
constexpr int kNarrowThreads = 256;  // a block

// kLanes threads a row (a power of two up to 32), where a row cannot keep a block busy. Four blocks
// a multiprocessor are enough: told so, the compiler keeps all loads of a batch in registers at
// once.
template <int kLanes, int kBatch, typename T>
__global__ void __launch_bounds__(kNarrowThreads, 4)
    reduce_sum_narrow_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t rows,
                             int64_t cols) {
  const int64_t row = camp::grid_thread() / kLanes;  // [0, rows rounded up to the block)
  const int lane = static_cast<int>(threadIdx.x % kLanes);
  // No early return: every lane of the warp must reach the shuffles.
  const float sum =
      warp_sum<kLanes>(row < rows ? lane_sum<kLanes, kBatch>(x + row * cols, cols, lane) : 0.0f);
  if (lane == 0 && row < rows) y[row] = camp::from_float<T>(sum);
}

template <int kLanes, int kBatch, typename T>
void launch_narrow(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  const unsigned blocks = camp::blocks_for(rows, kNarrowThreads / kLanes);
  reduce_sum_narrow_kernel<kLanes, kBatch><<<blocks, kNarrowThreads, 0, stream>>>(y, x, rows, cols);
}
// camp:solution-end

// camp:solution-begin 7: split few long rows into parts, a block each, and add up the parts
// A block a part: block (p, r) sums elements [p * length, (p + 1) * length) of row r. The block
// that finishes for all adds the parts of every row in a fixed order.
template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads)
    reduce_sum_split_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols,
                            int64_t length, camp::HandoverWord *words) {
  const camp::HandoverWord ticket = camp::draw_ticket(words);
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t row = blockIdx.y;
  const int64_t begin = blockIdx.x * length;  // [0, cols)
  const int64_t n = cols - begin < length ? cols - begin : length;
  const float sum = block_sum<kThreads>(lane_sum<kThreads>(x + row * cols + begin, n, thread));
  if (!camp::hand_over(words, ticket, sum)) return;
  __shared__ float parts[camp::kMostParts];  // [rows][gridDim.x]
  for (unsigned part = threadIdx.x; part < gridDim.x * gridDim.y; part += kThreads) {
    parts[part] = camp::take_over(words, part);
  }
  __syncthreads();  // all parts are there before a row is added up
  for (unsigned r = threadIdx.x / 32; r < gridDim.y; r += kThreads / 32) {  // a warp a row
    float total = 0.0f;
    for (unsigned part = threadIdx.x % 32; part < gridDim.x; part += 32) {
      total += parts[r * gridDim.x + part];
    }
    total = warp_sum(total);
    if (threadIdx.x % 32 == 0) y[r] = camp::from_float<T>(total);
  }
}
// camp:solution-end

// Bytes of workspace that launch_reduce_sum wants; fixed by the shape, asked once at create.
inline size_t reduce_sum_workspace_bytes(int64_t rows, int64_t cols) {
  size_t bytes = 0;
  // camp:solution-begin 8: ask for what the blocks leave behind where rows are split
  const camp::RowSplit split = camp::split_row(rows, cols);
  if (split.parts > 1) bytes = camp::handover_bytes(rows * split.parts);
  // camp:solution-end
  return bytes;
}

// Launches the sums on `stream`; rows = 0 launches nothing.
template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *workspace,
                       size_t workspace_bytes, cudaStream_t stream) {
  // camp:solution-begin 5: return if rows is 0, else launch reduce_sum_kernel: a block a row
  if (rows == 0) return;  // a grid of 0 blocks is an error
  const unsigned blocks = static_cast<unsigned>(rows);
  const int64_t vectors = cols / camp::Vector<T>::size;
  const camp::RowSplit split = camp::split_row(rows, cols);
  if (split.parts > 1) {
    const dim3 parts(static_cast<unsigned>(split.parts), blocks);
    camp::HandoverWord *words = static_cast<camp::HandoverWord *>(workspace);
    if (split.length < 16384) {
      reduce_sum_split_kernel<256><<<parts, 256, 0, stream>>>(y, x, cols, split.length, words);
    } else {
      reduce_sum_split_kernel<512><<<parts, 512, 0, stream>>>(y, x, cols, split.length, words);
    }
  } else if (vectors <= 8) {
    launch_narrow<4, 4>(y, x, rows, cols, stream);
  } else if (vectors <= 16) {
    launch_narrow<8, 2>(y, x, rows, cols, stream);
  } else if (vectors <= 64) {
    launch_narrow<8, 4>(y, x, rows, cols, stream);
  } else if (vectors <= 256) {
    launch_narrow<32, 4>(y, x, rows, cols, stream);
  } else if (vectors <= 512) {
    reduce_sum_kernel<128><<<blocks, 128, 0, stream>>>(y, x, cols);
  } else if (vectors <= 4096) {
    reduce_sum_kernel<256><<<blocks, 256, 0, stream>>>(y, x, cols);
  } else {
    reduce_sum_kernel<1024><<<blocks, 1024, 0, stream>>>(y, x, cols);
  }
  // camp:solution-end
}
