// 01_naive.cuh: vector_add, z[i] = a[i] + b[i] for i in [0, n).
//
//   tensor  shape  dtype               access
//   z       [n]    T                   written once
//   a, b    [n]    T                   read once
//
// T is float, __half or __nv_bfloat16, added in float32 and rounded once.
// Thread mapping: thread t takes the run of 16 elements that begins at 16 * t.
// Bytes moved: 8 times 3 * n * sizeof(T) for float, 16 times for halves: every sector of 32 bytes
// is asked for once for each of its elements.
// Preconditions: z, a and b are aligned to sizeof(T), and only to that; z overlaps neither; n >= 0.
// The first step: the work is dealt out as to the cores of a CPU, a stretch of memory each; the
// lanes of a warp then touch 32 places at once.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"

constexpr int kRun = 16;  // elements a thread

template <typename T>
__global__ void vector_add_kernel(T *__restrict__ z, const T *__restrict__ a,
                                  const T *__restrict__ b, int64_t n) {
  const int64_t begin = camp::grid_thread() * kRun;
  for (int64_t i = begin; i < begin + kRun && i < n; ++i) {
    z[i] = camp::from_float<T>(camp::to_float(a[i]) + camp::to_float(b[i]));
  }
}

// Launches the addition of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_vector_add(T *z, const T *a, const T *b, int64_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  vector_add_kernel<T><<<camp::blocks_for(n, threads * kRun), threads, 0, stream>>>(z, a, b, n);
}
