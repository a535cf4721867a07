// B29: a block takes several rows, and the slots of one row are overwritten by the next one.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

struct Moments {
  float top;  // the maximum of some elements
  float sum;  // of exp(element - top)
};

__device__ inline Moments merged(Moments a, Moments b) {
  const float top = fmaxf(a.top, b.top);
  if (top == -INFINITY) return {top, a.sum + b.sum};
  return {top, a.sum * expf(a.top - top) + b.sum * expf(b.top - top)};
}

template <typename T>
__global__ void softmax_kernel(T *y, const T *x, int64_t rows, int64_t cols) {
  __shared__ float tops[4], sums[4];
  for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
    const T *row = x + r * cols;
    Moments mine{-INFINITY, 0.0f};
    for (int64_t i = threadIdx.x; i < cols; i += 128) {
      const float value = camp::to_float(row[i]);
      mine = value == -INFINITY ? mine : merged(mine, {value, value == value ? 1.0f : value});
    }
    for (int offset = 16; offset > 0; offset /= 2) {
      const float top = __shfl_xor_sync(0xffffffffu, mine.top, offset);
      mine = merged(mine, {top, __shfl_xor_sync(0xffffffffu, mine.sum, offset)});
    }
    if (threadIdx.x % 32 == 0) {
      tops[threadIdx.x / 32] = mine.top;  // fault: B29
      sums[threadIdx.x / 32] = mine.sum;  // fault: B29
    }
    __syncthreads();  // all warps have stored
    const float top = fmaxf(fmaxf(tops[0], tops[1]), fmaxf(tops[2], tops[3]));  // fault: B29
    float sum = 0.0f;
    for (int w = 0; w < 4; ++w) {
      sum += sums[w] * expf(tops[w] - top);  // fault: B29
    }
#ifdef CAMP_FIXED
    __syncthreads();  // every warp has read before the next row overwrites
#endif
    for (int64_t i = threadIdx.x; i < cols; i += 128) {
      y[r * cols + i] = camp::from_float<T>(expf(camp::to_float(row[i]) - top) / sum);
    }
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const unsigned blocks = static_cast<unsigned>((rows + 3) / 4);
  softmax_kernel<T><<<blocks, 128, 0, stream>>>(y, x, rows, cols);
}
