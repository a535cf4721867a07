// kernel.cuh: copy, y[i] = x[i] for i in [0, n), bit for bit.
//
//   tensor  shape  dtype               access
//   y       [n]    T                   written once
//   x       [n]    T                   read once
//
// T is uint8_t, uint16_t, uint32_t or uint64_t: one type a size serves every dtype.
// Thread mapping: thread t takes items t, t + threads, t + 2 * threads, ... (grid-stride loop).
// Bytes moved: 2 * n * sizeof(T), the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; n >= 0.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

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

// camp:solution-begin 3: write copy_vector_kernel: 16 bytes a step, with a scalar head and tail
// One 16-byte vector a step. x and y have the same phase (address mod 16).
template <typename T>
__global__ void copy_vector_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t n) {
  constexpr int size = camp::Vector<T>::size;  // elements a vector: 16, 8, 4 or 2
  const camp::VectorCut<int64_t> cut = camp::cut_at_vectors<size>(y, n);
  const int64_t thread = camp::grid_thread();
  const int64_t threads = camp::grid_threads();
  for (int64_t v = thread; v < cut.vectors; v += threads) {
    const int64_t i = cut.head + v * size;  // first element of vector v: [head, tail - size]
    camp::store_vector(y + i, camp::load_vector(x + i));
  }
  // Head and tail hold fewer than 16 elements each, so one block has a thread for each of them.
  if (thread < cut.head) y[thread] = x[thread];
  const int64_t last = cut.tail + thread;
  if (last < n) y[last] = x[last];
}
// camp:solution-end

// Launches the copy of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  // camp:solution-begin 2: return if n is 0, else launch copy_kernel with enough blocks on stream
  if (n == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  if (camp::same_vector_phase(x, y)) {
    // + 1: enough threads for the head and the tail when there is no whole vector.
    const unsigned blocks = camp::blocks_for(n / camp::Vector<T>::size + 1, threads);
    copy_vector_kernel<T><<<blocks, threads, 0, stream>>>(y, x, n);
  } else {
    copy_kernel<T><<<camp::blocks_for(n, threads), threads, 0, stream>>>(y, x, n);
  }
  // camp:solution-end
}
