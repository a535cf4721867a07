// cute.cuh: copy, y[i] = x[i] for i in [0, n), bit for bit.
//
//   tensor  shape  dtype               access
//   y       [n]    T                   written once
//   x       [n]    T                   read once
//
// T is uint8_t, uint16_t, uint32_t or uint64_t: one type a size serves every dtype.
// Thread mapping: block b takes tile b of 256 vectors of 16 bytes, a vector a thread; the first
// threads of the grid take an element of head and tail each.
// Bytes moved: 2 * n * sizeof(T), the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; n >= 0.
// Needs CuTe: the index arithmetic of the solution is said as layouts. A tiled copy knows which
// thread holds which elements of a tile, and makes accesses of 16 bytes of them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cute/tensor.hpp>

#include "common/grid.cuh"
#include "common/vector.cuh"

constexpr int kThreads = 256;

// One element a step.
template <typename T>
__global__ void copy_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t n) {
  for (int64_t i = camp::grid_thread(); i < n; i += camp::grid_threads()) {
    y[i] = x[i];
  }
}

// One tile a block. x and y have the same phase (address mod 16).
template <typename T>
__global__ void copy_tile_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t n) {
  using namespace cute;
  constexpr int size = camp::Vector<T>::size;  // elements a vector: 16, 8, 4 or 2
  using Tile = Shape<Int<kThreads * size>>;
  const camp::VectorCut<int64_t> cut = camp::cut_at_vectors<size>(y, n);
  const int64_t thread = camp::grid_thread();

  // The whole vectors as tensors, and of each the tile of this block.
  const auto shape = make_shape(cut.vectors * size);
  const auto all_x = make_tensor(make_gmem_ptr(x + cut.head), shape);
  const auto all_y = make_tensor(make_gmem_ptr(y + cut.head), shape);
  const auto tile_x = local_tile(all_x, Tile{}, make_coord(int64_t{blockIdx.x}));
  const auto tile_y = local_tile(all_y, Tile{}, make_coord(int64_t{blockIdx.x}));

  // kThreads threads side by side, each with `size` elements side by side, moved as one.
  const auto copy_tile =
      make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, T>{}, Layout<Shape<Int<kThreads>>>{},
                      Layout<Shape<Int<size>>>{});
  const auto mine = copy_tile.get_slice(static_cast<int>(threadIdx.x));
  if (thread < cut.vectors) {  // the last tile may be short
    copy(copy_tile, mine.partition_S(tile_x), mine.partition_D(tile_y));
  }

  // Head and tail hold fewer than 16 elements each, so one block has a thread for each of them.
  if (thread < cut.head) y[thread] = x[thread];
  const int64_t last = cut.tail + thread;
  if (last < n) y[last] = x[last];
}

// Launches the copy of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  if (camp::same_vector_phase(x, y)) {
    // + 1: enough threads for the head and the tail when there is no whole vector.
    const unsigned blocks = camp::blocks_for(n / camp::Vector<T>::size + 1, kThreads);
    copy_tile_kernel<T><<<blocks, kThreads, 0, stream>>>(y, x, n);
  } else {
    copy_kernel<T><<<camp::blocks_for(n, kThreads), kThreads, 0, stream>>>(y, x, n);
  }
}
