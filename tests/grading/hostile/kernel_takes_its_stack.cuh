// Takes more stack than a thread has, at once.
#pragma once

#include <alloca.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  volatile char *room = static_cast<volatile char *>(alloca(static_cast<size_t>(n) << 24));
  room[0] = 1;
  if (i < n) y[i] = x[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<static_cast<unsigned>((n + 127) / 128), 128, 0, stream>>>(y, x, n);
}
