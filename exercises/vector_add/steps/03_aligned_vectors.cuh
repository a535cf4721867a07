// 03_aligned_vectors.cuh: vector_add, z[i] = a[i] + b[i] for i in [0, n).
//
//   tensor  shape  dtype               access
//   z       [n]    T                   written once
//   a, b    [n]    T                   read once
//
// T is float, __half or __nv_bfloat16, added in float32 and rounded once.
// Thread mapping: thread t takes vectors of 16 bytes t, t + threads, ...; the first threads take an
// element of the tail each. Arrays that do not begin at a multiple of 16 bytes: elements as before.
// Bytes moved: 3 * n * sizeof(T), the least possible.
// Preconditions: z, a and b are aligned to sizeof(T), and only to that; z overlaps neither; n >= 0.
// Since 02_coalesced: one access moves 16 bytes in place of one element; it is faster because more
// bytes are under way in each thread, and a quarter (float) or an eighth of the instructions asks.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"
#include "common/vector.cuh"

template <typename T>
__device__ __forceinline__ T add(T a, T b) {
  return camp::from_float<T>(camp::to_float(a) + camp::to_float(b));
}

// One element a step.
template <typename T>
__global__ void vector_add_kernel(T *__restrict__ z, const T *__restrict__ a,
                                  const T *__restrict__ b, int64_t n) {
  const int64_t threads = camp::grid_threads();
  for (int64_t i = camp::grid_thread(); i < n; i += threads) {
    z[i] = add(a[i], b[i]);
  }
}

// One vector a step. z, a and b begin at a multiple of 16 bytes.
template <typename T>
__global__ void vector_add_vector_kernel(T *__restrict__ z, const T *__restrict__ a,
                                         const T *__restrict__ b, int64_t n) {
  constexpr int size = camp::Vector<T>::size;  // elements a vector: 4 or 8
  const int64_t thread = camp::grid_thread();
  const int64_t threads = camp::grid_threads();
  const int64_t vectors = n / size;
  for (int64_t v = thread; v < vectors; v += threads) {
    const camp::Vector<T> va = camp::load_vector(a + v * size);
    const camp::Vector<T> vb = camp::load_vector(b + v * size);
    camp::Vector<T> vz;
#pragma unroll
    for (int k = 0; k < size; ++k) {
      vz.set(k, add(va.get(k), vb.get(k)));
    }
    camp::store_vector(z + v * size, vz);
  }
  const int64_t last = vectors * size + thread;  // the tail is shorter than a vector
  if (last < n) z[last] = add(a[last], b[last]);
}

// Launches the addition of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_vector_add(T *z, const T *a, const T *b, int64_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  const bool aligned =
      camp::vector_phase(z) == 0 && camp::vector_phase(a) == 0 && camp::vector_phase(b) == 0;
  if (aligned) {
    // + 1: enough threads for the tail when there is no whole vector.
    const unsigned blocks = camp::blocks_for(n / camp::Vector<T>::size + 1, threads);
    vector_add_vector_kernel<T><<<blocks, threads, 0, stream>>>(z, a, b, n);
  } else {
    vector_add_kernel<T><<<camp::blocks_for(n, threads), threads, 0, stream>>>(z, a, b, n);
  }
}
