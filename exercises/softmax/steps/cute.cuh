// cute.cuh: softmax over rows, y[r, c] = exp(x[r, c] - m) / sum of exp(x[r, k] - m) over k, where m
// is the maximum of row r.
//
//   tensor  shape         dtype           access
//   y       [rows, cols]  T, row-major    written once
//   x       [rows, cols]  T, row-major    read once; twice in rows longer than a tile
//
// T is float, __half or __nv_bfloat16, computed in float32 and rounded once.
// Thread mapping: block r computes row r, a tile of 8 elements a thread at a time; thread t takes
// elements t, t + threads, ... of a tile.
// Bytes moved: 2 * rows * cols * sizeof(T), the least possible; 1.5 times that in long rows.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; rows and
// cols >= 0. A row of -inf only, or one that holds a NaN, becomes NaN; +inf is not provided for.
// Needs CuTe: what 05_registers computes, its index arithmetic said as layouts. A tensor of
// coordinates is cut like the data, so that each element knows whether it is one of the row.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cute/tensor.hpp>

#include "common/block.cuh"
#include "common/dtype.cuh"

constexpr int kEach = 8;  // elements a thread and tile

// exp(value - max) for a maximum that may be -inf: 0 then, instead of the NaN of -inf - -inf.
__device__ __forceinline__ float exp_below(float value, float max) {
  return expf(value - (max == -INFINITY ? 0.0f : max));
}

template <int kThreads, typename T>
__global__ void softmax_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t rows,
                               int64_t cols) {
  using namespace cute;
  using Tile = Shape<Int<kThreads * kEach>>;
  using Threads = Layout<Shape<Int<kThreads>>>;
  const int thread = static_cast<int>(threadIdx.x);
  const auto matrix = make_layout(make_shape(rows, cols), LayoutRight{});
  const auto row = make_coord(int64_t{blockIdx.x}, _);

  // Tile t of the row, and of it this thread's elements: shape (kEach), for columns too.
  const auto tiles_x = zipped_divide(make_tensor(make_gmem_ptr(x), matrix)(row), Tile{});
  const auto tiles_y = zipped_divide(make_tensor(make_gmem_ptr(y), matrix)(row), Tile{});
  const auto tiles_column = zipped_divide(make_identity_tensor(make_shape(cols)), Tile{});
  const auto part = [&](const auto &tiles, int64_t t) {
    return local_partition(tiles(_, t), Threads{}, thread);
  };
  const int64_t tiles = size<1>(tiles_x);

  auto value = make_tensor<float>(Shape<Int<kEach>>{});
  const auto load = [&](int64_t t) {
    const auto mine = part(tiles_x, t);
    const auto column = part(tiles_column, t);
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      value(e) = elem_less(column(e), make_shape(cols)) ? camp::to_float(mine(e)) : -INFINITY;
    }
  };

  float max = -INFINITY, sum = 0.0f;  // of what this thread has seen: the sum of exp(value - max)
  for (int64_t t = 0; t < tiles; ++t) {
    load(t);
    float higher = max;
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      higher = fmaxf(higher, value(e));
    }
    sum *= exp_below(max, higher);
    max = higher;
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      sum += exp_below(value(e), max);
    }
  }
  const float row_max = camp::block_max(max);
  const float row_sum = camp::block_sum(sum * exp_below(max, row_max));
  for (int64_t t = 0; t < tiles; ++t) {
    if (tiles > 1) load(t);  // a single tile is still in the registers
    const auto mine = part(tiles_y, t);
    const auto column = part(tiles_column, t);
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      if (elem_less(column(e), make_shape(cols))) {
        mine(e) = camp::from_float<T>(exp_below(value(e), row_max) / row_sum);
      }
    }
  }
}

// Launches the softmax on `stream`; nothing to write launches nothing.
template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;  // a grid of 0 blocks is an error
  const unsigned blocks = static_cast<unsigned>(rows);
  if (cols <= 32 * kEach) {
    softmax_kernel<32><<<blocks, 32, 0, stream>>>(y, x, rows, cols);
  } else if (cols <= 256 * kEach) {
    softmax_kernel<256><<<blocks, 256, 0, stream>>>(y, x, rows, cols);
  } else {
    softmax_kernel<1024><<<blocks, 1024, 0, stream>>>(y, x, rows, cols);
  }
}
