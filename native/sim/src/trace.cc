// trace.cc: a warp's steps from those of its lanes.
#include "trace.hpp"

namespace camp_sim {
namespace {

// Where the lanes' next steps are.
class Replay {
 public:
  explicit Replay(WarpTrace &trace) : trace_(trace) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      next_[lane] = trace.steps[lane].data();
      left_[lane] = trace.steps[lane].size();
      active_ |= left_[lane] != 0 ? 1u << lane : 0;
    }
  }
  bool done() const { return active_ == 0; }

  // The lanes that execute the warp's next step.
  uint32_t choose() const {
    uint32_t chosen = 0;
    const Step *best = nullptr;
    uint32_t best_depth = 0;
    for (uint32_t rest = active_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
      const Step &step = *next_[lane];
      const uint32_t depth = depth_of(lane);
      const int order = best == nullptr ? -1 : compare(step, depth, *best, best_depth);
      if (order < 0) {
        best = &step;
        best_depth = depth;
        chosen = 0;
      }
      chosen |= order <= 0 ? 1u << lane : 0;
    }
    return chosen;
  }
  const Step &step(uint32_t lane) const { return *next_[lane]; }

  void advance(uint32_t lanes) {
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
      trace_.depth[lane] = depth_of(lane);
      ++next_[lane];
      active_ &= --left_[lane] == 0 ? ~(1u << lane) : ~0u;
    }
  }

 private:
  uint32_t depth_of(uint32_t lane) const {
    const Step &step = *next_[lane];
    return step.bytes == 0 ? static_cast<uint32_t>(step.at) : trace_.depth[lane];
  }
  static int compare(const Step &a, uint32_t a_depth, const Step &b, uint32_t b_depth) {
    if (a_depth != b_depth) {
      return a_depth > b_depth ? -1 : 1;
    }
    if (a.pc != b.pc) {
      return a.pc < b.pc ? -1 : 1;
    }
    return a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0;
  }

  WarpTrace &trace_;
  const Step *next_[32];
  size_t left_[32];
  uint32_t active_ = 0;
};

}  // namespace

void replay(WarpTrace &trace, StepVisitor &visitor) {
  Replay warp(trace);
  while (!warp.done()) {
    const uint32_t lanes = warp.choose();
    const Step &step = warp.step(static_cast<uint32_t>(__builtin_ctz(lanes)));
    if (step.bytes == 0) {
      visitor.enter_block(step.slot, lanes);
    } else {
      Request request;
      request.lanes = lanes;
      request.bytes = step.bytes;
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
        request.at[lane] = warp.step(lane).at;
      }
      visitor.access(step.slot, request);
    }
    warp.advance(lanes);
  }
  for (std::vector<Step> &steps : trace.steps) {
    steps.clear();
  }
}

}  // namespace camp_sim
