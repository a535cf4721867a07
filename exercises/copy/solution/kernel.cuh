// kernel.cuh: copy, y[i] = x[i] for i in [0, n), bit for bit.
//
//   tensor  shape  dtype               access
//   y       [n]    T                   written once
//   x       [n]    T                   read once
//
// T is uint8_t, uint16_t, uint32_t or uint64_t: one type a size serves every dtype.
// Thread mapping: thread t takes vector t of 16 bytes of y, and the threads behind them take an
// element of head or tail each. Arrays too short for that: an element a step, grid-stride.
// Bytes moved: 2 * n * sizeof(T), the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; n >= 0.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/any_phase.cuh"
#include "common/grid.cuh"
#include "common/vector.cuh"

// One element a step.
template <typename T>
__global__ void copy_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t n) {
  // camp:solution-begin 1: copy x to y in a grid-stride loop, one element a step, 64-bit indices
  const int64_t thread = camp::grid_thread();    // [0, threads)
  const int64_t threads = camp::grid_threads();  // of the whole grid
  for (int64_t i = thread; i < n; i += threads) {
    y[i] = x[i];
  }
  // camp:solution-end
}

// camp:solution-begin 3: write copy_vector_kernel: 16 bytes a thread, with a scalar head and tail
// One 16-byte vector a thread, aligned in y and anywhere in x.
template <typename T>
__global__ void copy_vector_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t n,
                                   camp::VectorCut<int64_t> cut) {
  constexpr int size = camp::Vector<T>::size;  // elements a vector: 16, 8, 4 or 2
  const int64_t thread =
      camp::grid_thread();  // [0, camp::threads_for(cut, n)) and the block's rest
  if (thread < cut.vectors) {
    const int64_t i = cut.head + thread * size;  // first element of the vector: [head, tail - size]
    camp::store_vector(y + i, camp::load_any_phase(x + i));
  } else {
    const int64_t i = camp::edge_element(cut, thread);
    if (i < n) y[i] = x[i];
  }
}
// camp:solution-end

// Launches the copy of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  // camp:solution-begin 2: return if n is 0, else launch copy_kernel with enough blocks on stream
  if (n == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  const camp::VectorCut<int64_t> cut = camp::cut_for<T, 1>(y, {x}, n);
  const unsigned blocks = camp::blocks_for(camp::threads_for(cut, n), threads);
  if (cut.vectors > 0) {
    copy_vector_kernel<T><<<blocks, threads, 0, stream>>>(y, x, n, cut);
  } else {
    copy_kernel<T><<<blocks, threads, 0, stream>>>(y, x, n);
  }
  // camp:solution-end
}
