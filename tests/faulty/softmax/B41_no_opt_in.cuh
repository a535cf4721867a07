// B41: a row is kept in dynamic shared memory; beyond 48 KiB a kernel has to opt in.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/dtype.cuh"

template <typename T>
__global__ void softmax_kernel(T *y, const T *x, int64_t cols) {
  extern __shared__ float values[];
  __shared__ float total[2];
  const T *row = x + blockIdx.x * cols;
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
    values[i] = camp::to_float(row[i]);
  }
  __syncthreads();  // the row is loaded
  if (threadIdx.x < 32) {
    float top = -INFINITY, sum = 0.0f;
    for (int64_t i = threadIdx.x; i < cols; i += 32) {
      top = fmaxf(top, values[i]);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
      top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
    }
    for (int64_t i = threadIdx.x; i < cols; i += 32) {
      sum += expf(values[i] - top);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    }
    if (threadIdx.x == 0) total[0] = top, total[1] = sum;
  }
  __syncthreads();  // maximum and sum are written
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
    y[blockIdx.x * cols + i] = camp::from_float<T>(expf(values[i] - total[0]) / total[1]);
  }
}

template <typename T>
void launch_softmax(T *y, const T *x, int64_t rows, int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const size_t bytes = static_cast<size_t>(cols) * sizeof(float);
#ifdef CAMP_FIXED
  cudaFuncSetAttribute(softmax_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(bytes));
#endif
  const unsigned rows_blocks = static_cast<unsigned>(rows);
  softmax_kernel<T><<<rows_blocks, 128, bytes, stream>>>(y, x, cols);  // fault: B41
}
