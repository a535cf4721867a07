// tile.cuh: a stretch of memory held in the registers of the threads that work on it.
#pragma once

#include <cuda_runtime.h>

#include "common/dtype.cuh"
#include "common/prefetch.cuh"
#include "common/vector.cuh"

namespace camp {

// Up to kLanes * kVectors * kSize elements, as float32, over a group of kLanes threads: thread
// `lane` holds vectors lane, lane + kLanes, ... of kSize neighbours each. Vectors of 16 bytes begin
// where the address is a multiple of 16; the few elements before and behind them (head and tail)
// lie in one more register of the first lanes.
template <typename T, int kLanes, int kVectors, int kSize>
class RegisterTile {
 public:
  static_assert(kSize == 1 || kLanes >= 2 * kSize, "too few lanes for the head and the tail");

  // This thread's elements, and `fill` in places that hold none.
  static constexpr int size = kVectors * kSize + 1;
  float value[size];

  // Takes the n elements at `source`, which is aligned to one element. Every thread of the group
  // calls it with its lane in [0, kLanes).
  __device__ __forceinline__ void load(const T *source, int n, int lane, float fill) {
    const VectorCut<int> cut = cut_at_vectors<kSize>(source, n);
    const int edge = edge_index(cut, lane);
    Vector<T, kSize> loaded[kVectors];
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {  // nothing but loads, so that all are in flight at once
      const int slot = v * kLanes + lane;
      loaded[v] = slot < cut.vectors ? camp::load<kSize>(source + cut.head, slot)
                                     : filled<kSize>(from_float<T>(fill));
    }
    value[kVectors * kSize] = edge < n ? to_float(source[edge]) : fill;
#pragma unroll
    for (int i = 0; i < kVectors * kSize; ++i) {
      value[i] = loaded[i / kSize].get_float(i % kSize);
    }
  }

  // Asks for the n elements at `source` to be brought into the L2 cache, but for the last few.
  __device__ __forceinline__ static void prefetch(const T *source, int n, int lane) {
    constexpr int line = kLineBytes / static_cast<int>(kSize * sizeof(T));  // vectors of a line
    if (lane % line != 0) return;
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int slot = v * kLanes + lane;
      if (slot * kSize < n) prefetch_line(source + slot * kSize);
    }
  }

  // The largest of this thread's elements; NaN loses against any number, as in fmaxf.
  __device__ __forceinline__ float max() const {
    float result = value[0];
#pragma unroll
    for (int i = 1; i < size; ++i) {
      result = fmaxf(result, value[i]);
    }
    return result;
  }

  // Writes the values, rounded to T, to the n elements at `target`. n is that of the load, and so,
  // with kSize above 1, is the phase of the address.
  __device__ __forceinline__ void store(T *target, int n, int lane) const {
    const VectorCut<int> cut = cut_at_vectors<kSize>(target, n);
    const int edge = edge_index(cut, lane);
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int slot = v * kLanes + lane;
      Vector<T, kSize> result;
#pragma unroll
      for (int k = 0; k < kSize; ++k) {
        result.set(k, from_float<T>(value[v * kSize + k]));
      }
      if (slot < cut.vectors) camp::store(target + cut.head, slot, result);
    }
    if (edge < n) target[edge] = from_float<T>(value[kVectors * kSize]);
  }

 protected:
  // The element of head or tail that is this lane's; n or more where there is none.
  __device__ static __forceinline__ int edge_index(const VectorCut<int> &cut, int lane) {
    return lane < cut.head ? lane : cut.tail + lane - cut.head;
  }
};

}  // namespace camp
