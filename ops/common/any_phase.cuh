// any_phase.cuh: 16-byte accesses for arrays that begin anywhere.
//
// A cut into head, vectors and tail makes one array's vectors begin at multiples of 16 bytes. Where
// a second array has another phase (address mod 16), each of its vectors lies across two aligned
// ones: both are read, and the 16 bytes in question are shifted out of them. Neighbouring threads
// share what they read, so memory moves every byte once all the same.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/vector.cuh"

namespace camp {

// Cuts the n elements at `output` so that its vectors are aligned, for kernels that read the same
// elements of `inputs` by load_any_phase: where one of those has another phase, the first and the
// last vector become elements too, for they would be read past the ends of the array.
template <typename T, int kInputs>
VectorCut<int64_t> cut_for(const T *output, const T *const (&inputs)[kInputs], int64_t n) {
  constexpr int size = Vector<T>::size;
  VectorCut<int64_t> cut = cut_at_vectors<size>(output, n);
  bool one_phase = true;
  for (const T *input : inputs)
    one_phase = one_phase && same_vector_phase(output, input);
  if (one_phase) return cut;
  if (cut.vectors <= 2) return VectorCut<int64_t>{n, 0, n};
  return VectorCut<int64_t>{cut.head + size, cut.vectors - 2, cut.tail - size};
}

// Threads of a grid in which each takes one vector, or one element of the head or the tail: fewer
// than 4 * Vector<T>::size of those.
inline int64_t threads_for(const VectorCut<int64_t> &cut, int64_t n) {
  return cut.vectors + cut.head + (n - cut.tail);
}

// The element of thread `thread` >= cut.vectors: in [0, head) or [tail, n), or beyond n.
__device__ __forceinline__ int64_t edge_element(const VectorCut<int64_t> &cut, int64_t thread) {
  const int64_t edge = thread - cut.vectors;
  return edge < cut.head ? edge : cut.tail + (edge - cut.head);
}

// Reads Vector<T>::size elements at any address aligned to one element. Where it is not a multiple
// of 16, all of the two aligned vectors around it is read.
template <typename T>
__device__ __forceinline__ Vector<T> load_any_phase(const T *pointer) {
  const int phase = vector_phase(pointer);
  if (phase == 0) return load_vector(pointer);
  const T *aligned = pointer - elements_past(pointer);
  const Vector<T> low = load_vector(aligned);
  const Vector<T> high = load_vector(aligned + Vector<T>::size);
  uint32_t word[8];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    word[i] = low.word[i];
    word[4 + i] = high.word[i];
  }
  // By 8 bytes, by 4, then by single ones: an index known only at run time would not stay in
  // registers.
  if ((phase & 8) != 0) {
#pragma unroll
    for (int i = 0; i < 6; ++i) {
      word[i] = word[i + 2];
    }
  }
  if ((phase & 4) != 0) {
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      word[i] = word[i + 1];
    }
  }
  Vector<T> result;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    result.word[i] = __funnelshift_r(word[i], word[i + 1], static_cast<unsigned>(phase % 4) * 8);
  }
  return result;
}

}  // namespace camp
