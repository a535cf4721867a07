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

// TODO(camp) 1: write add(a, b), the sum of two T computed in float32 and rounded once

// One element a step.
template <typename T>
__global__ void vector_add_kernel(T *__restrict__ z, const T *__restrict__ a,
                                  const T *__restrict__ b, int64_t n) {
  // TODO(camp) 2: z = add(a, b) in a grid-stride loop, one element a step
}

// TODO(camp) 4: write vector_add_vector_kernel: 16 bytes a thread, scalar head and tail

// Launches the addition of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_vector_add(T *z, const T *a, const T *b, int64_t n, cudaStream_t stream) {
  // TODO(camp) 3: return if n is 0, else launch vector_add_kernel on stream
}
