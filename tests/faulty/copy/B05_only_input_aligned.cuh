// B05: the alignment of the input is checked, that of the output is not.
#pragma once

#include <cstdint>

#include "common/grid.cuh"

template <typename T>
struct alignas(16) Sixteen {
  T lane[16 / sizeof(T)];
};

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n, bool aligned) {
  constexpr int width = 16 / static_cast<int>(sizeof(T));
  const int64_t i = camp::grid_thread() * width;
  if (aligned && i + width <= n) {
    const Sixteen<T> group = *reinterpret_cast<const Sixteen<T> *>(x + i);
    *reinterpret_cast<Sixteen<T> *>(y + i) = group;  // fault: B05
    return;
  }
  for (int64_t k = i; k < i + width && k < n; ++k) {
    y[k] = x[k];
  }
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  constexpr int width = 16 / static_cast<int>(sizeof(T));
#ifndef CAMP_FIXED
  const uintptr_t bits = reinterpret_cast<uintptr_t>(x);
#else
  const uintptr_t bits = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y);
#endif
  const unsigned blocks = camp::blocks_for((n + width - 1) / width, 256);
  copy_kernel<T><<<blocks, 256, 0, stream>>>(y, x, n, bits % 16 == 0);
}
