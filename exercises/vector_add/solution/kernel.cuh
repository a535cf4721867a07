// kernel.cuh: vector_add, z[i] = a[i] + b[i] for i in [0, n).
//
//   tensor  shape  dtype               access
//   z       [n]    T                   written once
//   a, b    [n]    T                   read once
//
// T is float, __half or __nv_bfloat16, added in float32 and rounded once.
// Thread mapping: thread t takes vector t of 16 bytes of z, and the threads behind them take an
// element of head or tail each. Arrays too short for that: an element a step, grid-stride.
// Bytes moved: 3 * n * sizeof(T), the least possible.
// Preconditions: z, a and b are aligned to sizeof(T), and only to that; z overlaps neither; n >= 0.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/any_phase.cuh"
#include "common/dtype.cuh"
#include "common/grid.cuh"
#include "common/vector.cuh"

// camp:solution-begin 1: write add(a, b), the sum of two T computed in float32 and rounded once
// The sum of two T as if rounded once: float32 has so many more bits that its own rounding does not
// change the result.
template <typename T>
__device__ __forceinline__ T add(T a, T b) {
  return camp::from_float<T>(camp::to_float(a) + camp::to_float(b));
}
// camp:solution-end

// One element a step.
template <typename T>
__global__ void vector_add_kernel(T *__restrict__ z, const T *__restrict__ a,
                                  const T *__restrict__ b, int64_t n) {
  // camp:solution-begin 2: z = add(a, b) in a grid-stride loop, one element a step
  const int64_t thread = camp::grid_thread();    // [0, threads)
  const int64_t threads = camp::grid_threads();  // of the whole grid
  for (int64_t i = thread; i < n; i += threads) {
    z[i] = add(a[i], b[i]);
  }
  // camp:solution-end
}

// camp:solution-begin 4: write vector_add_vector_kernel: 16 bytes a thread, scalar head and tail
// One 16-byte vector a thread, aligned in z and anywhere in a and b.
template <typename T>
__global__ void vector_add_vector_kernel(T *__restrict__ z, const T *__restrict__ a,
                                         const T *__restrict__ b, int64_t n,
                                         camp::VectorCut<int64_t> cut) {
  constexpr int size = camp::Vector<T>::size;  // elements a vector: 4 or 8
  const int64_t thread =
      camp::grid_thread();  // [0, camp::threads_for(cut, n)) and the block's rest
  if (thread < cut.vectors) {
    const int64_t i = cut.head + thread * size;  // first element of the vector: [head, tail - size]
    const camp::Vector<T> va = camp::load_any_phase(a + i);
    const camp::Vector<T> vb = camp::load_any_phase(b + i);
    camp::Vector<T> vz;
#pragma unroll
    for (int k = 0; k < size; ++k) {
      vz.set(k, add(va.get(k), vb.get(k)));
    }
    camp::store_vector(z + i, vz);
  } else {
    const int64_t i = camp::edge_element(cut, thread);
    if (i < n) z[i] = add(a[i], b[i]);
  }
}
// camp:solution-end

// Launches the addition of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_vector_add(T *z, const T *a, const T *b, int64_t n, cudaStream_t stream) {
  // camp:solution-begin 3: return if n is 0, else launch vector_add_kernel on stream
  if (n == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  const camp::VectorCut<int64_t> cut = camp::cut_for<T, 2>(z, {a, b}, n);
  const unsigned blocks = camp::blocks_for(camp::threads_for(cut, n), threads);
  if (cut.vectors > 0) {
    vector_add_vector_kernel<T><<<blocks, threads, 0, stream>>>(z, a, b, n, cut);
  } else {
    vector_add_kernel<T><<<blocks, threads, 0, stream>>>(z, a, b, n);
  }
  // camp:solution-end
}
