// qualifiers.h: CUDA's function and variable qualifiers on a host compiler, and the attributes that
// keep the simulator's own helpers out of the instrumentation.
#pragma once

#include "camp_sim/engine.h"

#ifndef CAMP_SIM
#define CAMP_SIM 1
#endif

// For functions that touch memory behind the simulator's back: no access, no entry and no alignment
// check is reported from them. Not to be combined with inlining: the hooks are inserted after it.
#if defined(__clang__)
#define CAMP_SIM_NO_SANITIZE \
  __attribute__((no_sanitize("thread", "undefined"), disable_sanitizer_instrumentation))
#else
#define CAMP_SIM_NO_SANITIZE __attribute__((no_sanitize("thread", "undefined")))
#endif
#define CAMP_SIM_OUT_OF_LINE __attribute__((noinline)) CAMP_SIM_NO_SANITIZE inline

// For helpers that become part of the learner's line: what they read or write through a pointer is
// reported there, once. Alignment is checked by the access itself, not at the helper's line.
#define CAMP_SIM_ALWAYS_INLINE inline __attribute__((always_inline, no_sanitize("alignment")))

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
// __noinline__ is no macro: libstdc++ has that word as the name of an attribute, and no single
// replacement suits both. The translator rewrites it.
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __cluster_dims__(...) _Pragma("GCC error \"needs a GPU: thread block clusters\"")

#if !defined(__clang__)
#define __builtin_assume(condition) static_cast<void>(0)
#endif
