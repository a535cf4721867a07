// barrier.cc: what happens when no lane of a block can run: a barrier is complete, or never will
// be.
#include <algorithm>
#include <string>

#include "access.hpp"
#include "state.hpp"
#include "warp.hpp"

namespace camp_sim {

void Worker::report_elsewhere() {
  const auto at_barrier = [](const Lane &lane) { return lane.state == LaneState::at_barrier; };
  const auto first = std::find_if(lanes.begin(), lanes.end(), at_barrier);
  const auto other = std::find_if(first, lanes.end(), [&](const Lane &lane) {
    return at_barrier(lane) && !same_line(first->waiting_at.line, lane.waiting_at.line);
  });
  Fault fault = fault_here("divergent_barrier", "SYNC", first->waiting_at);
  fault.thread = first->index;
  fault.has_other = true;
  fault.other_site = other->waiting_at;
  fault.other_thread = other->index;
  fault.other_block = block_index;
  fault.message = "threads of one block wait at different barriers";
  fault.advice =
      "Every thread of a block must reach the same __syncthreads(): move it out of the branch.";
  fault_log().add(std::move(fault));
}

void Worker::report_early_exit() {
  const auto in_state = [this](LaneState state) {
    return std::find_if(lanes.begin(), lanes.end(),
                        [state](const Lane &lane) { return lane.state == state; });
  };
  const auto gone = in_state(LaneState::returned);
  const auto waiting = in_state(LaneState::at_barrier);
  Fault fault = fault_here("early_exit", "SYNC", waiting->waiting_at);
  fault.severity = Severity::warning;
  fault.thread = gone->index;
  fault.message = "thread " + std::to_string(gone->thread) +
                  " left the kernel before the barrier that other threads of its block wait at";
  fault.advice =
      "Today's GPUs count a thread that has left as arrived, but CUDA does not promise "
      "it: guard the work, not the barrier.";
  fault_log().add(std::move(fault));
}

// All lanes that are left stand at a barrier: let them on. False when that is not so.
bool Worker::release_barrier() {
  if (gathering.arrived == 0 || gathering.arrived != alive) {
    return false;
  }
  if (launch->killed_lanes.load(std::memory_order_relaxed) == 0) {
    if (gathering.elsewhere) {
      report_elsewhere();
    } else if (alive < lanes.size()) {
      report_early_exit();
    }
  }
  ++barriers;
  block_clock = gathering.latest + 1;
  update_horizons();
  const auto count = static_cast<uint64_t>(gathering.agreeing);
  const bool all = gathering.agreeing == static_cast<int>(gathering.arrived);
  gathering = Gathering{};
  FenceJoin fences;
  fences.add(block_fenced);
  for (Lane &lane : lanes) {
    if (lane.informed) {
      block_acquired.add(lane.ledger->acquired);
      lane.ledger->acquired = Knowledge{};
      fences.add(lane.ledger->fenced);
      lane.ledger->fenced.reset();
    }
    if (lane.state == LaneState::at_barrier) {
      set_clock(lane, block_clock);
      lane.state = LaneState::ready;
      lane.result = lane.barrier_op == BarrierOp::count    ? count
                    : lane.barrier_op == BarrierOp::all_of ? (all ? 1 : 0)
                                                           : (count > 0 ? 1 : 0);
    }
  }
  block_fenced = fences.result();
  for (Warp &warp : warps) {
    warp.clocks.base = block_clock;
    warp.clocks.partial = false;
    warp.counters.meet();
  }
  return true;
}

// No lane can run and some wait for lanes that will not come. False when every lane is done.
bool Worker::resolve_stall() {
  // __activemask: the lanes that stand together at one line when nobody else can advance.
  for (Warp &warp : warps) {
    for (uint32_t i = 0; i < warp.count; ++i) {
      Lane &lane = warp.lanes[i];
      if (lane.state != LaneState::at_collective || lane.warp_op != WarpOp::active_mask) {
        continue;
      }
      uint32_t together = 0;
      for (uint32_t j = 0; j < warp.count; ++j) {
        const Lane &other = warp.lanes[j];
        if (other.state == LaneState::at_collective && other.warp_op == WarpOp::active_mask &&
            same_line(other.waiting_at.line, lane.waiting_at.line)) {
          together |= 1u << j;
        }
      }
      resolve_collective(*this, warp, together);
      return true;
    }
  }
  bool unfinished = false;
  for (Warp &warp : warps) {
    for (uint32_t i = 0; i < warp.count; ++i) {
      Lane &lane = warp.lanes[i];
      unfinished = unfinished || lane.alive();
      if (lane.state != LaneState::at_collective) {
        continue;
      }
      const uint32_t together = waiting_with(warp, lane);
      const uint32_t missing = lane.mask & ~together;
      if ((missing & warp.alive) == 0) {
        const uint32_t never = warp.count == 32 ? 0 : missing & ~((1u << warp.count) - 1);
        const std::string smaller = " cannot come: the block has " +
                                    std::to_string(launch->threads) +
                                    (launch->threads == 1 ? " thread" : " threads");
        report_absent_lanes(*this, lane, never != 0 ? never : missing,
                            never != 0 ? smaller.c_str() : " left the kernel");
        resolve_collective(*this, warp, together & lane.mask);
        return true;
      }
    }
  }
  if (!unfinished) {
    return false;
  }
  const Lane *waiting = nullptr;
  const Lane *other = nullptr;
  for (const Lane &lane : lanes) {
    if (lane.state == LaneState::at_collective && waiting == nullptr) {
      waiting = &lane;
    }
  }
  for (const Lane &lane : lanes) {
    if (waiting != nullptr && lane.alive() &&
        (lane.state != waiting->state ||
         !same_line(lane.waiting_at.line, waiting->waiting_at.line))) {
      other = &lane;
      break;
    }
  }
  Fault fault =
      fault_here("deadlock", "SYNC", waiting != nullptr ? waiting->waiting_at : CodeSite{});
  if (waiting != nullptr) {
    fault.thread = waiting->index;
  }
  if (other != nullptr) {
    fault.has_other = true;
    fault.other_site = other->waiting_at;
    fault.other_thread = other->index;
    fault.other_block = block_index;
  }
  fault.message =
      "threads wait for each other for ever: some at a warp operation, others at a barrier or at "
      "another warp operation";
  fault.advice =
      "All lanes that a mask names must reach the same call, and all threads of the block the same "
      "__syncthreads(): move it out of the branch.";
  fault_log().add(std::move(fault));
  launch->abandoned.store(true, std::memory_order_relaxed);
  return false;
}

int block_barrier(BarrierOp op, int predicate, Site site) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return predicate;
  }
  const Inside inside(*worker);
  Lane &lane = *worker->current;
  settle(*worker, lane);
  lane.barrier_op = op;
  lane.predicate = predicate;
  lane.waiting_at = CodeSite{__builtin_return_address(0), site};
  lane.state = LaneState::at_barrier;
  worker->gathering.arrive(lane);
  worker->wait();
  return static_cast<int>(lane.result);
}

}  // namespace camp_sim
