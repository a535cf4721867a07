// warp.cc: lanes of a warp wait for one another; the last to come computes every lane's result.
#include <string>

#include "access.hpp"
#include "state.hpp"
#include "warp.hpp"

namespace camp_sim {
namespace {

std::string lanes_text(uint32_t mask) {
  std::string text;
  int shown = 0;
  for (uint32_t lane = 0; lane < 32 && shown < 4; ++lane) {
    if (in(mask, lane)) {
      text += (shown++ == 0 ? "" : ", ") + std::to_string(lane);
    }
  }
  const int total = __builtin_popcount(mask);
  if (total > shown) {
    text += " and " + std::to_string(total - shown) + " more";
  }
  return (total == 1 ? "lane " : "lanes ") + text;
}

// __syncwarp orders what the lanes did before it with what they do after.
void order_lanes(Worker &worker, Warp &warp, uint32_t present) {
  Knowledge together;
  FenceJoin fences;
  uint32_t clocks[32] = {};
  uint32_t latest = 0;
  for (uint32_t i = 0; i < warp.count; ++i) {
    clocks[i] = warp.lanes[i].clock;
    latest = clocks[i] > latest ? clocks[i] : latest;
    if (in(present, i) && warp.lanes[i].informed) {
      together.add(warp.lanes[i].ledger->acquired);
      fences.add(warp.lanes[i].ledger->fenced);
    }
  }
  // A lane that has left was not waited for: nothing orders what it did.
  const bool whole = present == warp.counters.whole;
  if (whole) {
    warp.clocks.base = latest + 1;
    warp.clocks.partial = false;
  } else {
    warp.clocks.join(present, clocks);
  }
  for (uint32_t i = 0; i < warp.count; ++i) {
    if (in(present, i)) {
      worker.set_clock(warp.lanes[i], whole ? latest + 1 : clocks[i] + 1);
      if (!together.empty() || fences.result() != nullptr) {
        warp.lanes[i].ledger->acquired = together;
        warp.lanes[i].ledger->fenced = fences.result();
        warp.lanes[i].informed = true;
      }
    }
  }
}

}  // namespace

uint32_t waiting_with(const Warp &warp, const Lane &lane) {
  uint32_t together = 0;
  for (uint32_t i = 0; i < warp.count; ++i) {
    const Lane &other = warp.lanes[i];
    if (other.state == LaneState::at_collective && other.warp_op == lane.warp_op &&
        other.mask == lane.mask) {
      together |= 1u << i;
    }
  }
  return together;
}

namespace {

// Adds an arriving lane to those that wait with the same operation and mask, and gives them all.
uint32_t gather(Warp &warp, const Lane &lane) {
  if (warp.gathered == 0) {
    warp.gathering_op = lane.warp_op;
    warp.gathering_mask = lane.mask;
    return warp.gathered = waiting_with(warp, lane);  // some may have come while others gathered
  }
  if (warp.gathering_op == lane.warp_op && warp.gathering_mask == lane.mask) {
    return warp.gathered |= 1u << lane.lane;
  }
  return waiting_with(warp, lane);
}

}  // namespace

void resolve_collective(Worker &worker, Warp &warp, uint32_t present) {
  const WarpOp op = warp.lanes[__builtin_ctz(present)].warp_op;
  warp.gathered &= ~present;
  if (is_shuffle(op)) {
    resolve_shuffle(worker, warp, present);
  } else if (op == WarpOp::sync) {
    order_lanes(worker, warp, present);
  } else {
    resolve_combination(warp, present);
  }
  for (uint32_t i = 0; i < warp.count; ++i) {
    if (in(present, i)) {
      warp.lanes[i].state = LaneState::ready;
    }
  }
  warp.counters.join(present);
}

void report_absent_lanes(Worker &worker, const Lane &lane, uint32_t absent, const char *why) {
  if (worker.launch->killed_lanes.load(std::memory_order_relaxed) != 0 ||
      fault_log().bump("warp_mask", lane.waiting_at, {})) {
    return;
  }
  Fault fault = worker.fault_here("warp_mask", "SYNC", lane.waiting_at);
  fault.thread = lane.index;
  fault.message = std::string(name_of(lane.warp_op)) + ": the mask names " +
                  std::to_string(__builtin_popcount(lane.mask)) + " lanes, but " +
                  lanes_text(absent) + why;
  fault.advice =
      "Name only lanes that reach the call: keep the whole warp together, or build the mask with "
      "__ballot_sync before the branch.";
  fault_log().add(std::move(fault));
}

uint64_t warp_collective(WarpOp op, uint32_t mask, uint64_t value, int argument, int width,
                         Site site) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return value;
  }
  const Inside inside(*worker);
  Lane &lane = *worker->current;
  Warp &warp = *lane.warp;
  lane.warp_op = op;
  lane.value = value;
  lane.argument = argument;
  lane.width = static_cast<uint8_t>(width > 0 && width <= 32 ? width : 32);
  lane.waiting_at = CodeSite{__builtin_return_address(0), site};
  if (op == WarpOp::active_mask) {
    mask = 0;  // resolved by the scheduler when no lane of the warp can advance
  } else if (!in(mask, lane.lane)) {
    if (!fault_log().bump("warp_mask", lane.waiting_at, {})) {
      Fault fault = worker->fault_here("warp_mask", "SYNC", lane.waiting_at);
      fault.message = std::string(name_of(op)) + ": lane " + std::to_string(lane.lane) +
                      " calls it with a mask that does not name it";
      fault.advice = "A lane that calls must be in its own mask.";
      fault_log().add(std::move(fault));
    }
    mask |= 1u << lane.lane;
  }
  lane.mask = mask;
  settle(*worker, lane);
  lane.state = LaneState::at_collective;
  if (op != WarpOp::active_mask) {
    const uint32_t together = gather(warp, lane);
    if ((mask & ~together) == 0) {
      resolve_collective(*worker, warp, together & mask);
      return lane.result;  // the last to arrive need not give way
    }
  }
  worker->wait();
  return lane.result;
}

}  // namespace camp_sim
