// 03_sequential.cuh: reduce_sum, y[r] = sum of x[r, c] over c in [0, cols), accumulated in float32.
//
//   tensor     shape         dtype                     access
//   y          [rows]        T                         written once
//   x          [rows, cols]  T, row-major              read once
//
// T is float, __half or __nv_bfloat16.
// Thread mapping: block r sums row r. Thread t adds elements t, t + 256, ..., then the threads add
// up in a tree, the far ones first: step 128, 64, 32, ... apart.
// Bytes moved: (rows * cols + rows) * sizeof(T), the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; rows and cols >= 0; a row
// without elements sums to 0.
// Since 02_tree: the threads that still add are the first ones; it is faster because whole warps
// leave the tree, where before every warp stayed in it with fewer and fewer lanes.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

constexpr int kThreads = 256;  // a block; a power of two

template <typename T>
__global__ void reduce_sum_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t cols) {
  __shared__ float sums[kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  x += blockIdx.x * cols;
  float sum = 0.0f;
  for (int64_t c = thread; c < cols; c += kThreads) {
    sum += camp::to_float(x[c]);
  }
  sums[thread] = sum;
  __syncthreads();  // all sums are written before any is read
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (thread < step) sums[thread] += sums[thread + step];
    __syncthreads();  // sums of this step are written before the next one reads them
  }
  if (thread == 0) y[blockIdx.x] = camp::from_float<T>(sums[0]);
}

// Bytes of workspace that launch_reduce_sum wants: none.
inline size_t reduce_sum_workspace_bytes(int64_t, int64_t) {
  return 0;
}

// Launches the sums on `stream`; rows = 0 launches nothing.
template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;  // a grid of 0 blocks is an error
  reduce_sum_kernel<T><<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(y, x, cols);
}
