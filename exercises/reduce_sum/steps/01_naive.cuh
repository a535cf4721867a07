// 01_naive.cuh: reduce_sum, y[r] = sum of x[r, c] over c in [0, cols), accumulated in float64.
//
//   tensor     shape         dtype                     access
//   y          [rows]        T                         written once
//   x          [rows, cols]  T, row-major              read once
//   workspace  [rows]        double, aligned to 256    cleared, then added to
//
// T is float, __half or __nv_bfloat16.
// Thread mapping: thread i adds element i to the sum of its row.
// Bytes moved: (rows * cols + rows) * sizeof(T), the least possible; and the sector of a sum, 32
// bytes, for each of rows * cols additions.
// Preconditions: x and y are aligned to sizeof(T), and only to that; rows and cols >= 0; a row
// without elements sums to 0.
// The first step: an atomic addition an element. All elements of a row wait their turn at one
// address. The sums are doubles, for a float stops growing at 2^24 ones; and the order of the turns
// changes from run to run, with it the last bits of sums that are not exact.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"

template <typename T>
__global__ void add_kernel(double *sums, const T *__restrict__ x, int64_t n, int64_t cols) {
  const int64_t i = camp::grid_thread();
  if (i < n) atomicAdd(&sums[i / cols], static_cast<double>(camp::to_float(x[i])));
}

template <typename T>
__global__ void round_kernel(T *__restrict__ y, const double *__restrict__ sums, int64_t rows) {
  const int64_t row = camp::grid_thread();
  if (row < rows) y[row] = camp::from_float<T>(static_cast<float>(sums[row]));
}

// Bytes of workspace that launch_reduce_sum wants; fixed by the shape, asked once at create.
inline size_t reduce_sum_workspace_bytes(int64_t rows, int64_t) {
  return static_cast<size_t>(rows) * sizeof(double);
}

// Launches the sums on `stream`; rows = 0 launches nothing.
template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *workspace,
                       size_t workspace_bytes, cudaStream_t stream) {
  if (rows == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  double *sums = static_cast<double *>(workspace);
  cudaMemsetAsync(sums, 0, static_cast<size_t>(rows) * sizeof(double), stream);
  if (cols > 0) {
    const int64_t n = rows * cols;
    add_kernel<T><<<camp::blocks_for(n, threads), threads, 0, stream>>>(sums, x, n, cols);
  }
  round_kernel<T><<<camp::blocks_for(rows, threads), threads, 0, stream>>>(y, sums, rows);
}
