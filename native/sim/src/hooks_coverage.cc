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
  const auto top = reinterpret_cast<uintptr_t>(worker->stacks.top(lane.thread));
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const auto depth = static_cast<uint32_t>(top - frame);
  worker->counters.enter_block(lane.warp->counters, lane.lane, __builtin_return_address(0), depth);
}
