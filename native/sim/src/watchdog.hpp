// watchdog.hpp: launches that do not end, and faults that only the processor sees.
#pragma once

#include "state.hpp"

namespace camp_sim {

// True, after one report, once the launch has run longer than its limit. For the scheduler.
bool launch_expired(Launch &launch);

// For a lane of an expired launch: reports where it is and ends it.
[[noreturn]] void stop_expired(Worker &worker, CodeSite site);

// Interrupts the workers of a launch with a time limit when it has passed; also catches stack
// overflow and wild accesses of code that the compiler did not instrument. For the time of one
// launch.
class Watchdog {
 public:
  explicit Watchdog(Launch &launch);
  ~Watchdog();
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;
};

// Called by every worker thread around its share of a launch: a stack for signals, and its name
// among those to interrupt.
class WorkerGuard {
 public:
  WorkerGuard();
  ~WorkerGuard();
  WorkerGuard(const WorkerGuard &) = delete;
  WorkerGuard &operator=(const WorkerGuard &) = delete;
};

}  // namespace camp_sim
