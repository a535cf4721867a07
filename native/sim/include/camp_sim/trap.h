// trap.h: how a kernel ends itself, and its clocks.
#pragma once

#include <assert.h>

#include <chrono>

#include "camp_sim/engine.h"
#include "camp_sim/qualifiers.h"

[[noreturn]] inline void __trap(camp_sim::Site site = camp_sim::Site::here()) {
  camp_sim::kernel_trap("trap", "__trap()", site);
}
[[noreturn]] inline void __brkpt(camp_sim::Site site = camp_sim::Site::here()) {
  camp_sim::kernel_trap("trap", "__brkpt()", site);
}

// Host time stands in for cycles: it grows, and says nothing about a GPU's speed. clock() is the C
// library's.
CAMP_SIM_OUT_OF_LINE long long clock64() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
inline void __nanosleep(unsigned) {}
