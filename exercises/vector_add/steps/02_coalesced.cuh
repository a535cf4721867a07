// 02_coalesced.cuh: vector_add, z[i] = a[i] + b[i] for i in [0, n).
//
//   tensor  shape  dtype               access
//   z       [n]    T                   written once
//   a, b    [n]    T                   read once
//
// T is float, __half or __nv_bfloat16, added in float32 and rounded once.
// Thread mapping: thread t takes items t, t + threads, t + 2 * threads, ... (grid-stride loop).
// Bytes moved: 3 * n * sizeof(T), the least possible.
// Preconditions: z, a and b are aligned to sizeof(T), and only to that; z overlaps neither; n >= 0.
// Since 01_naive: neighbouring lanes take neighbouring elements; it is faster because a request of
// a warp touches 4 sectors of 32 bytes (for float) in place of 32, and uses all of each.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"

template <typename T>
__global__ void vector_add_kernel(T *__restrict__ z, const T *__restrict__ a,
                                  const T *__restrict__ b, int64_t n) {
  const int64_t threads = camp::grid_threads();
  for (int64_t i = camp::grid_thread(); i < n; i += threads) {
    z[i] = camp::from_float<T>(camp::to_float(a[i]) + camp::to_float(b[i]));
  }
}

// Launches the addition of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_vector_add(T *z, const T *a, const T *b, int64_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  vector_add_kernel<T><<<camp::blocks_for(n, threads), threads, 0, stream>>>(z, a, b, n);
}
