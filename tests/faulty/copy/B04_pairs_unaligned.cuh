// B04: two elements an access, although a pointer is only aligned to one.
#pragma once

#include <cstdint>

#include "common/grid.cuh"

template <typename T>
struct alignas(2 * sizeof(T)) Pair {
  T lane[2];
};

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n, bool aligned) {
  const int64_t i = camp::grid_thread() * 2;
  if (aligned && i + 1 < n) {
    const Pair<T> pair = *reinterpret_cast<const Pair<T> *>(x + i);  // fault: B04
    *reinterpret_cast<Pair<T> *>(y + i) = pair;
    return;
  }
  for (int64_t k = i; k < i + 2 && k < n; ++k) {
    y[k] = x[k];
  }
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
#ifndef CAMP_FIXED
  const bool aligned = true;
#else
  const uintptr_t bits = reinterpret_cast<uintptr_t>(y) | reinterpret_cast<uintptr_t>(x);
  const bool aligned = bits % (2 * sizeof(T)) == 0;
#endif
  copy_kernel<T><<<camp::blocks_for((n + 1) / 2, 256), 256, 0, stream>>>(y, x, n, aligned);
}
