// B01: a 4-wide access guarded by its first lane only reads and writes past the end.
#pragma once

#include <cstdint>

#include "common/dtype.cuh"
#include "common/grid.cuh"

template <typename T>
struct alignas(4 * sizeof(T)) Four {
  T lane[4];
};

template <typename T>
__global__ void vector_add_kernel(T *z, const T *a, const T *b, int64_t n, bool aligned) {
  const int64_t i = camp::grid_thread() * 4;
#ifndef CAMP_FIXED
  if (aligned && i < n) {
#else
  if (aligned && i + 3 < n) {
#endif
    const Four<T> p = *reinterpret_cast<const Four<T> *>(a + i);  // fault: B01
    const Four<T> q = *reinterpret_cast<const Four<T> *>(b + i);
    Four<T> sum;
    for (int k = 0; k < 4; ++k) {
      sum.lane[k] = camp::from_float<T>(camp::to_float(p.lane[k]) + camp::to_float(q.lane[k]));
    }
    *reinterpret_cast<Four<T> *>(z + i) = sum;
    return;
  }
  for (int64_t k = i; k < i + 4 && k < n; ++k) {
    z[k] = camp::from_float<T>(camp::to_float(a[k]) + camp::to_float(b[k]));
  }
}

template <typename T>
void launch_vector_add(T *z, const T *a, const T *b, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  const uintptr_t bits = reinterpret_cast<uintptr_t>(z) | reinterpret_cast<uintptr_t>(a) |
                         reinterpret_cast<uintptr_t>(b);
  const unsigned blocks = camp::blocks_for((n + 3) / 4, 256);
  vector_add_kernel<T><<<blocks, 256, 0, stream>>>(z, a, b, n, bits % (4 * sizeof(T)) == 0);
}
