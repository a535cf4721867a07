// staged_tile.cuh: a register tile whose next contents are on their way while it is worked on.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/dtype.cuh"
#include "common/tile.cuh"
#include "common/vector.cuh"

namespace camp {

namespace detail {

// Begins to copy 16 bytes; `shared` is an address in shared memory. At once before sm_80.
__device__ __forceinline__ void begin_copy(uint32_t shared, const uint4 *global) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
#else
  *static_cast<uint4 *>(__cvta_shared_to_generic(shared)) = *global;
#endif
}

// Waits for all copies that this thread has begun.
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace detail

// The elements of the next tile wait in shared memory, where they need no registers. Each thread
// copies for itself and reads only what it copied, so no barrier is needed. Copies are asynchronous
// from sm_80 on.
template <typename T, int kLanes, int kVectors>
class StagedTile : public RegisterTile<T, kLanes, kVectors, Vector<T>::size> {
 public:
  static constexpr size_t staged_bytes = size_t{kVectors} * kLanes * kVectorBytes;

  // `staged` is staged_bytes of shared memory, for the kLanes threads together.
  __device__ __forceinline__ StagedTile(uint4 *staged, int lane) : mine_(staged + lane) {}

  // Begins to copy the n elements at `source`. The values of the tile stay as they are; the last
  // copy must have been taken, and its elements used.
  __device__ __forceinline__ void fetch(const T *source, int n, int lane) {
    const VectorCut<int> cut = cut_at_vectors<kSize>(source, n);
    // source + cut.head, found by rounding up: nvcc then adds constants to it, where it would else
    // compute the address of each vector anew.
    const uintptr_t first = (reinterpret_cast<uintptr_t>(source) + kVectorBytes - 1) / kVectorBytes;
    const uint4 *const vectors = reinterpret_cast<const uint4 *>(first * kVectorBytes) + lane;
    const uint32_t mine = static_cast<uint32_t>(__cvta_generic_to_shared(mine_));
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      if (v * kLanes + lane < cut.vectors) {
        detail::begin_copy(mine + v * kLanes * kVectorBytes, vectors + v * kLanes);
      }
    }
    const int edge = this->edge_index(cut, lane);
    if (edge < n) edge_ = source[edge];
  }

  // Waits for the copy; source, n and lane are those of fetch().
  __device__ __forceinline__ void take(const T *source, int n, int lane, float fill) {
    const VectorCut<int> cut = cut_at_vectors<kSize>(source, n);
    detail::wait_for_copies();
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const Vector<T> vector =
          v * kLanes + lane < cut.vectors
              ? camp::load<kSize>(reinterpret_cast<const T *>(mine_), v * kLanes)
              : filled<kSize>(from_float<T>(fill));
#pragma unroll
      for (int k = 0; k < kSize; ++k) {
        this->value[v * kSize + k] = vector.get_float(k);
      }
    }
    const int edge = this->edge_index(cut, lane);
    this->value[kVectors * kSize] = edge < n ? to_float(edge_) : fill;
  }

 private:
  static constexpr int kSize = Vector<T>::size;

  uint4 *mine_;  // this thread's first vector; the others are kLanes apart
  T edge_;       // this thread's element of head or tail, not yet converted: that would wait for it
};

}  // namespace camp
