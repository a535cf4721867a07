// kernel_facts.h: how a translated kernel tells, while its library is loaded, what the runtime must
// know of it before it runs.
#pragma once

#include <cstddef>
#include <typeinfo>

#include "camp_sim/engine.h"

// A class of this name is local to every kernel (CAMP_SIM_KERNEL_BEGIN); anywhere else it is this.
struct camp_sim_kernel {};

namespace camp_sim {

// `inside` is the class local to the kernel; both return true.
CAMP_SIM_API bool register_launch_bounds(const std::type_info &inside, int max_threads);
// `place` orders the variables of one kernel.
CAMP_SIM_API bool register_static_shared(const std::type_info &inside, int place, size_t bytes,
                                         size_t alignment);

// Naming `registered` anywhere in a kernel makes each instantiation of it register.
template <typename Kernel, int MaxThreads>
struct LaunchBounds {
  static const bool registered;
};
template <typename Kernel, int MaxThreads>
const bool LaunchBounds<Kernel, MaxThreads>::registered =
    register_launch_bounds(typeid(Kernel), MaxThreads);

template <typename Kernel, int Place, size_t Bytes, size_t Alignment>
struct StaticShared {
  static const bool registered;
};
template <typename Kernel, int Place, size_t Bytes, size_t Alignment>
const bool StaticShared<Kernel, Place, Bytes, Alignment>::registered =
    register_static_shared(typeid(Kernel), Place, Bytes, Alignment);
template <int Place, size_t Bytes, size_t Alignment>
struct StaticShared<::camp_sim_kernel, Place, Bytes, Alignment> {
  static constexpr bool registered = false;  // in a function that kernels call
};

}  // namespace camp_sim

#define CAMP_SIM_FIRST(first, ...) first
// What `__launch_bounds__(...)` of a kernel adds to the start of its body.
#define CAMP_SIM_LAUNCH_BOUNDS(...) \
  static_cast<void>(                \
      ::camp_sim::LaunchBounds<camp_sim_kernel, (CAMP_SIM_FIRST(__VA_ARGS__, 0))>::registered);
