// shared.h: what `__shared__` is translated to.
//
//   __shared__ float tile[32][33];
//     -> typedef float camp_shared_tile[32][33];
//        static ::camp_sim::SharedVariable camp_slot_tile{"tile", __FILE__, __LINE__};
//        auto &tile =
//            ::camp_sim::shared_variable<camp_shared_tile, 0, camp_sim_kernel,
//            112>(camp_slot_tile);
#pragma once

#include <cstddef>
#include <type_traits>

#include "camp_sim/engine.h"
#include "camp_sim/kernel_facts.h"
#include "camp_sim/qualifiers.h"

namespace camp_sim {

// One `__shared__` declaration of one instantiation of the code around it.
struct SharedVariable {
  const char *name;
  const char *file;
  int line;
};

// The running block's copy. `bytes`, `alignment` and `element_bytes` are of the declared type.
CAMP_SIM_API void *shared_address(const SharedVariable *variable, size_t bytes, size_t alignment,
                                  size_t element_bytes);
CAMP_SIM_API void *dynamic_shared_address(size_t element_bytes);

constexpr size_t larger_alignment(size_t a, size_t b) {
  return a > b ? a : b;
}

// T: the declared type (arrays as arrays); Alignment: of an alignas, or 0; Kernel: the class local
// to the kernel; Place: what orders the variables of one kernel.
template <typename T, size_t Alignment, typename Kernel, int Place>
CAMP_SIM_NO_SANITIZE inline T &shared_variable(const SharedVariable &variable) {
  constexpr size_t alignment = larger_alignment(alignof(T), Alignment);
  static_cast<void>(StaticShared<Kernel, Place, sizeof(T), alignment>::registered);
  return *static_cast<T *>(
      shared_address(&variable, sizeof(T), alignment, sizeof(std::remove_all_extents_t<T>)));
}

template <typename T, size_t Alignment>
CAMP_SIM_NO_SANITIZE inline T *dynamic_shared() {
  return static_cast<T *>(dynamic_shared_address(sizeof(T)));
}

// `extern __shared__ T name[];` outside of a function.
template <typename T, size_t Alignment>
struct DynamicShared {
  CAMP_SIM_NO_SANITIZE operator T *() const { return dynamic_shared<T, Alignment>(); }
};

}  // namespace camp_sim
