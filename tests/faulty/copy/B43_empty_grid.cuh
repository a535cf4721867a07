// B43: n = 0 makes a grid of 0 blocks, which is an error that stays for the next call to find.
#pragma once

#include <cstdint>

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
#ifdef CAMP_FIXED
  if (n == 0) return;
#endif
  const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
  copy_kernel<T><<<blocks, 256, 0, stream>>>(y, x, n);  // fault: B43
}
