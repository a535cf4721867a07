// 01_naive.cuh: copy, y[i] = x[i] for i in [0, n), bit for bit.
//
//   tensor  shape  dtype               access
//   y       [n]    T                   written once
//   x       [n]    T                   read once
//
// T is uint8_t, uint16_t, uint32_t or uint64_t: one type a size serves every dtype.
// Thread mapping: thread i takes element i.
// Bytes moved: 2 * n * sizeof(T), the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap; n >= 0.
// The first step: neighbouring threads touch neighbouring elements, so no byte is moved twice; but
// a thread has a single load of one element under way, and then it is done.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

template <typename T>
__global__ void copy_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];  // the last block has threads to spare
}

// Launches the copy of n elements on `stream`; n = 0 launches nothing.
template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
  copy_kernel<T><<<blocks, threads, 0, stream>>>(y, x, n);
}
