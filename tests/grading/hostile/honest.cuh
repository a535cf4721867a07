// honest.cuh: a right copy kernel, and the place where the hostile ones hook in.
#pragma once

#include <cuda_runtime.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

void at_load();    // runs when the library is loaded
void at_launch();  // runs at every launch, before the kernel

namespace {
struct Loaded {
  Loaded() { at_load(); }
} loaded;
}  // namespace

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  at_launch();
  if (n == 0) return;
  const unsigned blocks = static_cast<unsigned>((n + 127) / 128);
  copy_kernel<T><<<blocks, 128, 0, stream>>>(y, x, n);
}
