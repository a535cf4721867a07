// B32: a fence is taken for a barrier of the whole grid; block 0 adds sums that others may not have
// stored yet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"

inline int64_t parts_of(int64_t cols) {
  return (cols + 255) / 256;
}

inline size_t reduce_sum_workspace_bytes(int64_t rows, int64_t cols) {
  return sizeof(float) * static_cast<size_t>(rows * parts_of(cols));
}

__device__ inline void add_parts(float *total, const float *parts, int64_t count) {
  *total = 0.0f;
  for (int64_t p = 0; p < count; ++p) {
    *total += parts[p];  // fault: B32
  }
}

template <typename T>
__global__ void reduce_sum_kernel(T *y, const T *x, float *parts, int64_t cols) {
  const int64_t count = gridDim.y;
  const T *row = x + blockIdx.x * cols;
  float sum = 0.0f;
  for (int64_t i = blockIdx.y * 256 + threadIdx.x; i < cols && i < (blockIdx.y + 1) * 256;
       i += 32) {
    sum += camp::to_float(row[i]);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  if (threadIdx.x == 0) parts[blockIdx.x * count + blockIdx.y] = sum;  // fault: B32
#ifndef CAMP_FIXED
  __threadfence();
  if (blockIdx.y == 0 && threadIdx.x == 0) {
    add_parts(&sum, parts + blockIdx.x * count, count);
    y[blockIdx.x] = camp::from_float<T>(sum);
  }
#endif
}

template <typename T>
__global__ void combine_kernel(T *y, const float *parts, int64_t count) {
  float sum = 0.0f;
  add_parts(&sum, parts + blockIdx.x * count, count);
  y[blockIdx.x] = camp::from_float<T>(sum);
}

template <typename T>
__global__ void empty_kernel(T *y) {
  y[blockIdx.x] = camp::from_float<T>(0.0f);
}

template <typename T>
void launch_reduce_sum(T *y, const T *x, int64_t rows, int64_t cols, void *workspace, size_t,
                       cudaStream_t stream) {
  if (rows == 0) return;
  const unsigned row_blocks = static_cast<unsigned>(rows);
  if (cols == 0) {
    empty_kernel<T><<<row_blocks, 1, 0, stream>>>(y);
    return;
  }
  const dim3 grid(row_blocks, static_cast<unsigned>(parts_of(cols)));
  float *parts = static_cast<float *>(workspace);
  reduce_sum_kernel<T><<<grid, 32, 0, stream>>>(y, x, parts, cols);
#ifdef CAMP_FIXED
  combine_kernel<T><<<row_blocks, 1, 0, stream>>>(y, parts, parts_of(cols));
#endif
}
