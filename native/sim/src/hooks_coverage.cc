// hooks_coverage.cc: the function that a compiler calls with -fsanitize-coverage=trace-pc, which
// only libraries built for counting are compiled with.
#include "state.hpp"

extern "C" CAMP_SIM_API void __sanitizer_cov_trace_pc() {
  using namespace camp_sim;
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return;
  }
  const Inside inside(*worker);
  const Lane &lane = *worker->current;
  WarpCounters &warp = lane.warp->counters;
  worker->branches.count(warp.branches, warp.epoch, lane.lane, warp.whole,
                         __builtin_return_address(0));
}
