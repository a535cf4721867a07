// warp.h: barriers, fences, shuffles, votes, matches and warp reductions, under their CUDA names.
//
// The last parameter of each is the learner's line; code never passes it.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "camp_sim/engine.h"
#include "camp_sim/qualifiers.h"

namespace camp_sim {

template <typename T>
CAMP_SIM_NO_SANITIZE inline uint64_t lane_bits(T value) {
  static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8,
                "shuffles move values of up to 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <typename T>
CAMP_SIM_NO_SANITIZE inline T from_lane_bits(uint64_t bits) {
  T value;
  __builtin_memcpy(static_cast<void *>(&value), &bits, sizeof(T));
  return value;
}

// Signed 32-bit values travel sign-extended, so that minima and maxima compare as signed.
inline uint64_t extended(int value) {
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

}  // namespace camp_sim

// ---- block barriers and fences ----
inline void __syncthreads(camp_sim::Site site = camp_sim::Site::here()) {
  camp_sim::block_barrier(camp_sim::BarrierOp::sync, 0, site);
}
inline int __syncthreads_count(int predicate, camp_sim::Site site = camp_sim::Site::here()) {
  return camp_sim::block_barrier(camp_sim::BarrierOp::count, predicate, site);
}
inline int __syncthreads_and(int predicate, camp_sim::Site site = camp_sim::Site::here()) {
  return camp_sim::block_barrier(camp_sim::BarrierOp::all_of, predicate, site);
}
inline int __syncthreads_or(int predicate, camp_sim::Site site = camp_sim::Site::here()) {
  return camp_sim::block_barrier(camp_sim::BarrierOp::any_of, predicate, site);
}
inline void __threadfence_block(camp_sim::Site site = camp_sim::Site::here()) {
  camp_sim::memory_fence(camp_sim::Scope::block, site);
}
inline void __threadfence(camp_sim::Site site = camp_sim::Site::here()) {
  camp_sim::memory_fence(camp_sim::Scope::device, site);
}
inline void __threadfence_system(camp_sim::Site site = camp_sim::Site::here()) {
  camp_sim::memory_fence(camp_sim::Scope::system, site);
}

// ---- warp ----
inline void __syncwarp(unsigned mask = 0xffffffffu, camp_sim::Site site = camp_sim::Site::here()) {
  camp_sim::warp_collective(camp_sim::WarpOp::sync, mask, 0, 0, 32, site);
}

#define CAMP_SIM_SHUFFLE(name, op, parameter)                                             \
  template <typename T>                                                                   \
  CAMP_SIM_NO_SANITIZE inline T name(unsigned mask, T value, parameter, int width = 32,   \
                                     camp_sim::Site site = camp_sim::Site::here()) {      \
    return camp_sim::from_lane_bits<T>(                                                   \
        camp_sim::warp_collective(camp_sim::WarpOp::op, mask, camp_sim::lane_bits(value), \
                                  static_cast<int>(argument), width, site));              \
  }
CAMP_SIM_SHUFFLE(__shfl_sync, shuffle_index, int argument)
CAMP_SIM_SHUFFLE(__shfl_up_sync, shuffle_up, unsigned argument)
CAMP_SIM_SHUFFLE(__shfl_down_sync, shuffle_down, unsigned argument)
CAMP_SIM_SHUFFLE(__shfl_xor_sync, shuffle_xor, int argument)
#undef CAMP_SIM_SHUFFLE

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              camp_sim::Site site = camp_sim::Site::here()) {
  return static_cast<unsigned>(camp_sim::warp_collective(camp_sim::WarpOp::ballot, mask,
                                                         predicate != 0 ? 1 : 0, 0, 32, site));
}
inline int __any_sync(unsigned mask, int predicate, camp_sim::Site site = camp_sim::Site::here()) {
  return static_cast<int>(
      camp_sim::warp_collective(camp_sim::WarpOp::any, mask, predicate != 0 ? 1 : 0, 0, 32, site));
}
inline int __all_sync(unsigned mask, int predicate, camp_sim::Site site = camp_sim::Site::here()) {
  return static_cast<int>(
      camp_sim::warp_collective(camp_sim::WarpOp::all, mask, predicate != 0 ? 1 : 0, 0, 32, site));
}
inline unsigned __activemask(camp_sim::Site site = camp_sim::Site::here()) {
  return static_cast<unsigned>(
      camp_sim::warp_collective(camp_sim::WarpOp::active_mask, 0, 0, 0, 32, site));
}

template <typename T>
CAMP_SIM_NO_SANITIZE inline unsigned __match_any_sync(
    unsigned mask, T value, camp_sim::Site site = camp_sim::Site::here()) {
  return static_cast<unsigned>(camp_sim::warp_collective(camp_sim::WarpOp::match_any, mask,
                                                         camp_sim::lane_bits(value), 0, 32, site));
}
template <typename T>
CAMP_SIM_NO_SANITIZE inline unsigned __match_all_sync(
    unsigned mask, T value, int *all_equal, camp_sim::Site site = camp_sim::Site::here()) {
  const auto result = static_cast<unsigned>(camp_sim::warp_collective(
      camp_sim::WarpOp::match_all, mask, camp_sim::lane_bits(value), 0, 32, site));
  *all_equal = result != 0;
  return result;
}

#define CAMP_SIM_REDUCE(name, op, type, encode)                                               \
  inline type name(unsigned mask, type value, camp_sim::Site site = camp_sim::Site::here()) { \
    return static_cast<type>(                                                                 \
        camp_sim::warp_collective(camp_sim::WarpOp::op, mask, encode, 0, 32, site));          \
  }
CAMP_SIM_REDUCE(__reduce_add_sync, reduce_add, unsigned, value)
CAMP_SIM_REDUCE(__reduce_add_sync, reduce_add, int, camp_sim::extended(value))
CAMP_SIM_REDUCE(__reduce_min_sync, reduce_min_unsigned, unsigned, value)
CAMP_SIM_REDUCE(__reduce_max_sync, reduce_max_unsigned, unsigned, value)
CAMP_SIM_REDUCE(__reduce_min_sync, reduce_min_signed, int, camp_sim::extended(value))
CAMP_SIM_REDUCE(__reduce_max_sync, reduce_max_signed, int, camp_sim::extended(value))
CAMP_SIM_REDUCE(__reduce_and_sync, reduce_and, unsigned, value)
CAMP_SIM_REDUCE(__reduce_or_sync, reduce_or, unsigned, value)
CAMP_SIM_REDUCE(__reduce_xor_sync, reduce_xor, unsigned, value)
#undef CAMP_SIM_REDUCE
