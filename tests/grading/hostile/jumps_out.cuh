// Leaves the kernel by a long jump to the launcher, and the launcher by one to where the library
// was loaded.
#pragma once

#include <cuda_runtime.h>
#include <setjmp.h>

#include <cstdint>

static jmp_buf place;

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
  longjmp(place, 1);
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  if (setjmp(place) == 0) {
    copy_kernel<T><<<static_cast<unsigned>((n + 127) / 128), 128, 0, stream>>>(y, x, n);
  }
}
