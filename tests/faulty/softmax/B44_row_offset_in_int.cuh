// B44: row * cols is computed in int, and wraps around from 2^31 elements on.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

#ifndef CAMP_FIXED
using Index = int;
#else
using Index = int64_t;
#endif

// A warp a row.
template <typename T>
__global__ void softmax_kernel(T *y, const T *x, Index cols) {
  const Index row = blockIdx.x;
  const T *from = x + row * cols;  // fault: B44
  T *to = y + row * cols;
  float top = -INFINITY, sum = 0.0f;
  for (Index i = threadIdx.x; i < cols; i += 32) {
    top = fmaxf(top, camp::to_float(from[i]));
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
  }
  for (Index i = threadIdx.x; i < cols; i += 32) {
    sum += expf(camp::to_float(from[i]) - top);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  for (Index i = threadIdx.x; i < cols; i += 32) {
    to[i] = camp::from_float<T>(expf(camp::to_float(from[i]) - top) / sum);
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const Index width = static_cast<Index>(cols);
  softmax_kernel<T><<<static_cast<unsigned>(rows), 32, 0, stream>>>(y, x, width);
}
