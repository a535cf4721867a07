// vector.cuh: 16-byte accesses, and how to cut an array into a head, whole vectors and a tail.
//
// One 16-byte access a thread is the widest the hardware has, and it wants an address that is a
// multiple of 16. Tensors promise only the alignment of one element, so a kernel peels the elements
// before the first such address (head) and after the last whole vector (tail).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/dtype.cuh"

namespace camp {

inline constexpr int kVectorBytes = 16;

// kSize elements of T, 16 bytes unless said otherwise, held in registers as long as every index is
// a compile-time constant (unrolled loops). Kept as 32-bit words, so that choosing between two
// vectors never unpacks them and loads stay in flight until their elements are used.
template <typename T, int kSize = kVectorBytes / static_cast<int>(sizeof(T))>
struct Vector {
  static constexpr int size = kSize;
  uint32_t word[(kSize * sizeof(T) + 3) / 4] = {};

  // Element i in [0, size).
  __device__ __forceinline__ T get(int i) const {
    T value;
    if constexpr (sizeof(T) == 8) {
      const uint64_t bits = word[2 * i] | static_cast<uint64_t>(word[2 * i + 1]) << 32;
      memcpy(static_cast<void *>(&value), &bits, sizeof value);
    } else {
      const uint32_t bits = word[i / kPerWord] >> (i % kPerWord * kBits);
      memcpy(static_cast<void *>(&value), &bits, sizeof value);  // the low bytes: little-endian
    }
    return value;
  }

  // Element i in [0, size) as float32. A bfloat16 is the upper half of one.
  __device__ __forceinline__ float get_float(int i) const {
    if constexpr (std::is_same_v<T, __nv_bfloat16>) {
      const uint32_t bits = i % 2 == 0 ? word[i / 2] << 16 : word[i / 2] & 0xffff0000u;
      float value;
      memcpy(&value, &bits, sizeof value);
      return value;
    } else {
      return to_float(get(i));
    }
  }

  // Replaces element i in [0, size).
  __device__ __forceinline__ void set(int i, T value) {
    if constexpr (sizeof(T) == 8) {
      memcpy(&word[2 * i], &value, sizeof value);
    } else {
      constexpr uint32_t mask = 0xffffffffu >> (32 - kBits);
      const int shift = i % kPerWord * kBits;
      uint32_t bits = 0;
      memcpy(&bits, &value, sizeof value);
      word[i / kPerWord] = (word[i / kPerWord] & ~(mask << shift)) | bits << shift;
    }
  }

 private:
  static constexpr int kBits = 8 * static_cast<int>(sizeof(T) < 4 ? sizeof(T) : 4);  // in a word
  static constexpr int kPerWord = 32 / kBits;  // elements a word: 4, 2 or 1
};

// Reads Vector<T>::size elements in one access. `pointer` is a multiple of 16 bytes.
template <typename T>
__device__ __forceinline__ Vector<T> load_vector(const T *pointer) {
  const uint4 bits = *reinterpret_cast<const uint4 *>(pointer);
  Vector<T> vector;
  vector.word[0] = bits.x;
  vector.word[1] = bits.y;
  vector.word[2] = bits.z;
  vector.word[3] = bits.w;
  return vector;
}

// The same for memory that no thread reads a second time: caches need not keep it.
template <typename T>
__device__ __forceinline__ Vector<T> load_vector_once(const T *pointer) {
  const uint4 bits = __ldcs(reinterpret_cast<const uint4 *>(pointer));
  Vector<T> vector;
  vector.word[0] = bits.x;
  vector.word[1] = bits.y;
  vector.word[2] = bits.z;
  vector.word[3] = bits.w;
  return vector;
}

// Writes Vector<T>::size elements in one access. `pointer` is a multiple of 16 bytes.
template <typename T>
__device__ __forceinline__ void store_vector(T *pointer, const Vector<T> &vector) {
  *reinterpret_cast<uint4 *>(pointer) =
      make_uint4(vector.word[0], vector.word[1], vector.word[2], vector.word[3]);
}

// Bytes by which an address exceeds a multiple of 16: [0, 16).
__host__ __device__ inline int vector_phase(const void *pointer) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(pointer) % kVectorBytes);
}

// Elements by which an element-aligned address exceeds a multiple of 16 bytes: [0, size).
template <typename T>
__host__ __device__ inline int elements_past(const T *pointer) {
  return vector_phase(pointer) / static_cast<int>(sizeof(T));
}

// Whether one cut serves both arrays: equal elements then start vectors in both.
__host__ __device__ inline bool same_vector_phase(const void *a, const void *b) {
  return vector_phase(a) == vector_phase(b);
}

// [0, head) scalar, then `vectors` whole vectors, then [tail, n) scalar. head and n - tail are both
// below the size of a vector.
template <typename Index>
struct VectorCut {
  Index head;
  Index vectors;
  Index tail;
};

// Cuts the n elements at `pointer`, which is aligned to one element, into vectors of kSize: those
// of 16 bytes begin at a multiple of 16 bytes, shorter ones anywhere.
template <int kSize, typename T, typename Index>
__host__ __device__ inline VectorCut<Index> cut_at_vectors(const T *pointer, Index n) {
  Index head = kSize == Vector<T>::size ? (kSize - elements_past(pointer)) % kSize : 0;
  if (head > n) head = n;
  const Index vectors = (n - head) / kSize;
  return VectorCut<Index>{head, vectors, head + vectors * kSize};
}

// A vector with every element equal to `value`.
template <int kSize, typename T>
__device__ __forceinline__ Vector<T, kSize> filled(T value) {
  Vector<T, kSize> vector;
#pragma unroll
  for (int k = 0; k < kSize; ++k) {
    vector.set(k, value);
  }
  return vector;
}

// Reads vector `v` of an array of vectors of kSize elements. `array` is a multiple of 16 bytes if
// they are 16 bytes, else aligned to one element.
template <int kSize, typename T>
__device__ __forceinline__ Vector<T, kSize> load(const T *array, int v) {
  Vector<T, kSize> vector;
  if constexpr (kSize == Vector<T>::size) {
    const uint4 bits = reinterpret_cast<const uint4 *>(array)[v];
    vector.word[0] = bits.x;
    vector.word[1] = bits.y;
    vector.word[2] = bits.z;
    vector.word[3] = bits.w;
  } else {
#pragma unroll
    for (int k = 0; k < kSize; ++k) {
      vector.set(k, array[v * kSize + k]);
    }
  }
  return vector;
}

// Writes vector `v` of such an array. The index counts vectors and not elements, for with the
// address of an element nvcc 13.0 may cut the access into four of 4 bytes.
template <int kSize, typename T>
__device__ __forceinline__ void store(T *array, int v, const Vector<T, kSize> &vector) {
  if constexpr (kSize == Vector<T>::size) {
    reinterpret_cast<uint4 *>(array)[v] =
        make_uint4(vector.word[0], vector.word[1], vector.word[2], vector.word[3]);
  } else {
#pragma unroll
    for (int k = 0; k < kSize; ++k) {
      array[v * kSize + k] = vector.get(k);
    }
  }
}

// Elements [i, i + kSize) of the n at `array`, `fill` for those outside [0, n): in one access where
// they are 16 bytes, all inside and at a multiple of 16 bytes, else one by one.
template <int kSize, typename T, typename Index>
__device__ __forceinline__ Vector<T, kSize> load_within(const T *array, Index i, Index n, T fill) {
  if constexpr (kSize == Vector<T>::size) {
    if (i >= 0 && i + kSize <= n && vector_phase(array + i) == 0) return load_vector(array + i);
  }
  Vector<T, kSize> vector;
#pragma unroll
  for (int k = 0; k < kSize; ++k) {
    vector.set(k, i + k >= 0 && i + k < n ? array[i + k] : fill);
  }
  return vector;
}

}  // namespace camp
