// 03_aligned_vectors.cuh: copy, y[i] = x[i] for i in [0, n), bit for bit.
//
//   tensor  shape  dtype               access
//   y       [n]    T                   written once
//   x       [n]    T                   read once
//
// T is uint8_t, uint16_t, uint32_t or uint64_t: one type a size serves every dtype.
// Thread mapping: thread t takes vectors of 16 bytes t, t + threads, ...; the first threads take an
// element of the tail each. Arrays that do not begin at a multiple of 16 bytes: elements as before.
// Bytes moved: 2 * n * sizeof(T), the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; n >= 0.
// Since 02_grid_stride: one access moves 16 bytes in place of one element; it is faster because a
// quarter of the instructions (for 4 bytes an element) asks for the same bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/grid.cuh"
#include "common/vector.cuh"

// One element a step.
template <typename T>
__global__ void copy_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t n) {
  const int64_t threads = camp::grid_threads();
  for (int64_t i = camp::grid_thread(); i < n; i += threads) {
    y[i] = x[i];
  }
}

// One vector a step. x and y begin at a multiple of 16 bytes.
template <typename T>
__global__ void copy_vector_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t n) {
  constexpr int size = camp::Vector<T>::size;  // elements a vector: 16, 8, 4 or 2
  const int64_t thread = camp::grid_thread();
  const int64_t threads = camp::grid_threads();
  const int64_t vectors = n / size;
  for (int64_t v = thread; v < vectors; v += threads) {
    camp::store_vector(y + v * size, camp::load_vector(x + v * size));
  }
  const int64_t last = vectors * size + thread;  // the tail is shorter than a vector
  if (last < n) y[last] = x[last];
}

// Launches the copy of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  if (camp::vector_phase(x) == 0 && camp::vector_phase(y) == 0) {
    // + 1: enough threads for the tail when there is no whole vector.
    const unsigned blocks = camp::blocks_for(n / camp::Vector<T>::size + 1, threads);
    copy_vector_kernel<T><<<blocks, threads, 0, stream>>>(y, x, n);
  } else {
    copy_kernel<T><<<camp::blocks_for(n, threads), threads, 0, stream>>>(y, x, n);
  }
}
