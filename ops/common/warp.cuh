// warp.cuh: reductions among the 32 lanes of a warp, or among equal groups of them.
//
// Every function is called by all 32 lanes (lanes without data bring the neutral value), takes the
// group width as a power of two in [1, 32], and gives the result to every lane of its group, so
// that no broadcast is needed after it. Shuffles carry values, not memory: they order no loads or
// stores between lanes.
#pragma once

#include <cuda_runtime.h>

namespace camp {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;

// The sum over each group of kWidth neighbouring lanes; valid in every lane.
template <int kWidth = kWarpSize>
__device__ __forceinline__ float warp_sum(float value) {
  static_assert(kWidth >= 1 && kWidth <= kWarpSize && (kWidth & (kWidth - 1)) == 0);
#pragma unroll
  for (int offset = kWidth / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, offset);
  }
  return value;
}

// The maximum over each group of kWidth neighbouring lanes; valid in every lane. NaN loses against
// any number, as in fmaxf.
template <int kWidth = kWarpSize>
__device__ __forceinline__ float warp_max(float value) {
  static_assert(kWidth >= 1 && kWidth <= kWarpSize && (kWidth & (kWidth - 1)) == 0);
#pragma unroll
  for (int offset = kWidth / 2; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, offset));
  }
  return value;
}

}  // namespace camp
