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
  // TODO(camp) 1: copy x to y in a grid-stride loop, one element a step, 64-bit indices
}

// TODO(camp) 3: write copy_vector_kernel: 16 bytes a thread, with a scalar head and tail

// Launches the copy of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  // TODO(camp) 2: return if n is 0, else launch copy_kernel with enough blocks on stream
}
