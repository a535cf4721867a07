// vector.cuh: 16-byte accesses, and how to cut an array into a head, whole vectors and a tail.
//
// One 16-byte access a thread is the widest the hardware has, and it wants an address that is a
// multiple of 16. Tensors promise only the alignment of one element, so a kernel peels the elements
// before the first such address (head) and after the last whole vector (tail).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace camp {

inline constexpr int kVectorBytes = 16;

// 16 bytes of T, held in registers while every index is a compile-time constant (unrolled loops).
template <typename T>
struct alignas(kVectorBytes) Vector {
  static constexpr int size = kVectorBytes / static_cast<int>(sizeof(T));
  T value[size];
  // i in [0, size)
  __device__ __forceinline__ T &operator[](int i) { return value[i]; }
  __device__ __forceinline__ const T &operator[](int i) const { return value[i]; }
};

// Reads Vector<T>::size elements in one access. `pointer` is a multiple of 16 bytes.
template <typename T>
__device__ __forceinline__ Vector<T> load_vector(const T *pointer) {
  // Through uint4, so that the compiler has no reason to split the access by element.
  const uint4 bits = *reinterpret_cast<const uint4 *>(pointer);
  Vector<T> vector;
  memcpy(static_cast<void *>(&vector), &bits, sizeof bits);
  return vector;
}

// Writes Vector<T>::size elements in one access. `pointer` is a multiple of 16 bytes.
template <typename T>
__device__ __forceinline__ void store_vector(T *pointer, const Vector<T> &vector) {
  uint4 bits;
  memcpy(&bits, &vector, sizeof bits);
  *reinterpret_cast<uint4 *>(pointer) = bits;
}

// Bytes by which an address exceeds a multiple of 16: [0, 16).
__host__ __device__ inline int vector_phase(const void *pointer) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(pointer) % kVectorBytes);
}

// Whether one cut serves both arrays: equal elements then start vectors in both.
__host__ __device__ inline bool same_vector_phase(const void *a, const void *b) {
  return vector_phase(a) == vector_phase(b);
}

// [0, head) scalar, then `vectors` whole vectors, then [tail, n) scalar. head and n - tail are both
// below Vector<T>::size.
struct VectorCut {
  int64_t head;
  int64_t vectors;
  int64_t tail;
};

// Cuts n elements at `pointer`, which is aligned to one element.
template <typename T>
__host__ __device__ inline VectorCut cut_at_vectors(const T *pointer, int64_t n) {
  constexpr int size = Vector<T>::size;
  const int past = vector_phase(pointer) / static_cast<int>(sizeof(T));  // [0, size)
  int64_t head = (size - past) % size;
  if (head > n) head = n;
  const int64_t vectors = (n - head) / size;
  return VectorCut{head, vectors, head + vectors * size};
}

}  // namespace camp
