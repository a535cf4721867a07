// trace.hpp: what the lanes of a warp do, put together as a warp would do it.
//
// Code compiled for counting calls a hook at the start of every basic block. Lanes run one after
// the other here; their blocks and accesses since they last met are kept, and when they meet again
// they are executed once more as by a warp: of the lanes' next steps the one that lies deepest in
// calls, and first in the code, is taken, by all lanes for which it is the next. Compilers lay out
// code so that ways that part meet further down; so lanes that skip a branch or leave a loop wait
// for the others, as on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traffic.hpp"

namespace camp_sim {

// A step of one lane: the entry of a block, or an access.
struct Step {
  const void *pc = nullptr;
  uint64_t at = 0;     // of an access: as in Request
  uint32_t slot = 0;   // the counter's number for the block, or for the site and kind of access
  uint32_t bytes = 0;  // of an access; of a block's entry: 0
};

struct WarpTrace {
  bool recording = false;
  uint32_t epoch = 0;
  std::vector<Step> steps[32];
  uint32_t depth[32] = {};  // bytes of stack in use, as of the last block replayed

  // A lane that goes this far before its warp meets again is no longer traced.
  static constexpr size_t most_steps = size_t{1} << 17;
  // False when the lane has too many already.
  bool add(uint32_t lane, const Step &step) {
    if (steps[lane].size() >= most_steps) {
      return false;
    }
    steps[lane].push_back(step);
    return true;
  }
};

class StepVisitor {
 public:
  virtual void enter_block(uint32_t slot, uint32_t lanes) = 0;
  virtual void access(uint32_t slot, const Request &request) = 0;

 protected:
  ~StepVisitor() = default;
};

// Visits what the warp does, in order, and empties the trace.
void replay(WarpTrace &trace, StepVisitor &visitor);

}  // namespace camp_sim
