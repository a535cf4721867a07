// block.cc: one block from start to end: which lane runs next, and what happens when none can.
#include <algorithm>
#include <string>

#include "access.hpp"
#include "state.hpp"
#include "warp.hpp"
#include "watchdog.hpp"

#define BUILT_IN(name, symbol) __thread uint3 name __asm__(symbol) CAMP_SIM_API = {0, 0, 0}
BUILT_IN(thread_index_variable, "camp_sim_thread_index");
BUILT_IN(block_index_variable, "camp_sim_block_index");
BUILT_IN(block_dim_variable, "camp_sim_block_dim");
BUILT_IN(grid_dim_variable, "camp_sim_grid_dim");
#undef BUILT_IN

namespace camp_sim {
namespace {

constexpr uint32_t spins_before_yield = 64;
constexpr uint32_t lanes_per_warp = DeviceModel::warp_size;

[[noreturn]] void lane_entry() {
  Worker &worker = *this_worker();
  worker.inside = false;
  worker.launch->entry(worker.launch->frame);
  worker.end_lane(LaneState::returned);
}

bool same_line(const Site &a, const Site &b) {
  // The host compiler may copy a call into several places: the line tells barriers apart, not the
  // pc.
  return a.line == b.line && (a.file == b.file || std::string(a.file) == b.file);
}

}  // namespace

void Worker::prepare_lanes() {
  const Launch &run = *launch;
  const uint32_t threads = run.threads;
  lanes.resize(threads);
  const uint32_t warp_count = (threads + lanes_per_warp - 1) / lanes_per_warp;
  warps.resize(warp_count);
  stacks.reserve(threads);
  block_clock = 1;
  order_lost = false;
  block_acquired = Knowledge{};
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;
  for (uint32_t t = 0; t < threads; ++t) {
    Lane &lane = lanes[t];
    lane.stack_low = stacks.low(t);
    lane.stack_pointer = fiber_prepare(stacks.top(t), lane_entry);
    lane.warp = &warps[t / lanes_per_warp];
    lane.index = {x, y, z};
    lane.thread = t;
    lane.lane = t % lanes_per_warp;
    lane.state = LaneState::ready;
    lane.clock = 1;
    lane.spins = 0;
    lane.overwrite.address = 0;
    if (!lane.acquired.empty()) {
      lane.acquired = Knowledge{};
    }
    lane.fenced.reset();
    if (++x == run.config.block.x) {
      x = 0;
      if (++y == run.config.block.y) {
        y = 0;
        ++z;
      }
    }
  }
  for (uint32_t w = 0; w < warp_count; ++w) {
    Warp &warp = warps[w];
    warp.lanes = &lanes[w * lanes_per_warp];
    warp.index = w;
    warp.count = std::min(lanes_per_warp, threads - w * lanes_per_warp);
    warp.alive = warp.count == 32 ? 0xffffffffu : (1u << warp.count) - 1;
    warp.gathered = 0;
    warp.clocks.base = 1;
    warp.clocks.partial = false;
  }
}

void Worker::run_block(uint64_t linear) {
  const dim3 grid = launch->config.grid;
  block_linear = linear;
  block_index = {static_cast<uint32_t>(linear % grid.x),
                 static_cast<uint32_t>(linear / grid.x % grid.y),
                 static_cast<uint32_t>(linear / grid.x / grid.y)};
  block_index_variable = uint3{block_index[0], block_index[1], block_index[2]};
  block_dim_variable = launch->config.block;
  grid_dim_variable = grid;
  shared.begin_block(launch->options.poison, !launch->track_blocks);
  prepare_lanes();
  schedule();
  for (Warp &warp : warps) {
    counters.finish(warp.counters);
  }
}

bool Worker::run_warp(Warp &warp) {
  bool ran = false;
  // Another lane first under another seed; natural order under seed 0.
  const uint32_t seed = static_cast<uint32_t>(launch->options.schedule_seed >> 8) +
                        static_cast<uint32_t>(launch->options.schedule_seed) * 7;
  const uint32_t start = seed % warp.count;
  const bool backwards = (launch->options.schedule_seed & 1) != 0;
  bool again = true;
  while (again && !launch->abandoned.load(std::memory_order_relaxed)) {
    again = false;
    for (uint32_t i = 0; i < warp.count; ++i) {
      uint32_t at = start + i < warp.count ? start + i : start + i - warp.count;
      at = backwards ? warp.count - 1 - at : at;
      Lane &lane = warp.lanes[at];
      if (lane.state != LaneState::ready) {
        continue;
      }
      thread_index_variable = uint3{lane.index[0], lane.index[1], lane.index[2]};
      current = &lane;
      fiber_switch(&scheduler_stack, lane.stack_pointer);
      current = nullptr;
      ran = true;
      again = again || lane.state != LaneState::at_barrier;
    }
  }
  return ran;
}

void Worker::schedule() {
  const auto warp_count = static_cast<uint32_t>(warps.size());
  const uint64_t seed = launch->options.schedule_seed;
  const auto start = static_cast<uint32_t>((seed >> 16 ^ seed * 5) % warp_count);
  const bool backwards = (seed & 2) != 0;
  while (!launch->abandoned.load(std::memory_order_relaxed)) {
    bool ran = false;
    for (uint32_t i = 0; i < warp_count; ++i) {
      const uint32_t at = (start + i) % warp_count;
      ran = run_warp(warps[backwards ? warp_count - 1 - at : at]) || ran;
    }
    if (!ran && !release_barrier() && !resolve_stall()) {
      return;
    }
    if (launch_expired(*launch)) {
      return;
    }
  }
}

// All lanes that are left stand at a barrier: let them on. False when that is not so.
bool Worker::release_barrier() {
  const Lane *first = nullptr;
  const Lane *gone = nullptr;
  const Lane *elsewhere = nullptr;
  uint32_t latest = 0;
  int count = 0;
  bool all = true;
  for (const Lane &lane : lanes) {
    if (lane.state == LaneState::returned) {
      gone = gone == nullptr ? &lane : gone;
    } else if (lane.state == LaneState::at_barrier) {
      first = first == nullptr ? &lane : first;
      if (!same_line(first->waiting_at.line, lane.waiting_at.line)) {
        elsewhere = elsewhere == nullptr ? &lane : elsewhere;
      }
      latest = std::max(latest, lane.clock);
      count += lane.predicate != 0 ? 1 : 0;
      all = all && lane.predicate != 0;
    } else if (lane.state != LaneState::killed) {
      return false;
    }
  }
  if (first == nullptr) {
    return false;
  }
  const bool intact = launch->killed_lanes.load(std::memory_order_relaxed) == 0;
  if (elsewhere != nullptr && intact) {
    Fault fault = fault_here("divergent_barrier", "SYNC", first->waiting_at);
    fault.thread = first->index;
    fault.has_other = true;
    fault.other_site = elsewhere->waiting_at;
    fault.other_thread = elsewhere->index;
    fault.other_block = block_index;
    fault.message = "threads of one block wait at different barriers";
    fault.advice =
        "Every thread of a block must reach the same __syncthreads(): move it out of the "
        "branch.";
    fault_log().add(std::move(fault));
  } else if (gone != nullptr && intact) {
    Fault fault = fault_here("early_exit", "SYNC", first->waiting_at);
    fault.severity = Severity::warning;
    fault.thread = gone->index;
    fault.message = "thread " + std::to_string(gone->thread) +
                    " left the kernel before the barrier that other threads of its block wait at";
    fault.advice =
        "Today's GPUs count a thread that has left as arrived, but CUDA does not promise "
        "it: guard the work, not the barrier.";
    fault_log().add(std::move(fault));
  }
  ++barriers;
  block_clock = latest + 1;
  note_clock(block_clock);
  for (Lane &lane : lanes) {
    if (!lane.acquired.empty()) {
      block_acquired.add(lane.acquired);
      lane.acquired = Knowledge{};
    }
    if (lane.state == LaneState::at_barrier) {
      lane.clock = block_clock;
      lane.result =
          static_cast<uint64_t>(lane.barrier_op == BarrierOp::count    ? count
                                : lane.barrier_op == BarrierOp::all_of ? (all ? 1 : 0)
                                                                       : (count > 0 ? 1 : 0));
      lane.state = LaneState::ready;
    }
  }
  for (Warp &warp : warps) {
    warp.clocks.base = block_clock;
    warp.clocks.partial = false;
    ++warp.counters.epoch;
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
        report_absent_lanes(*this, lane, never != 0 ? never : missing,
                            never != 0 ? " cannot come: the block is smaller" : " left the kernel");
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

void Worker::wait() {
  Lane &lane = *current;
  const Inside switching(*this);
  fiber_switch(&lane.stack_pointer, scheduler_stack);
}

void Worker::give_way() {
  Lane &lane = *current;
  if (++lane.spins >= spins_before_yield) {
    lane.spins = 0;
    wait();
  }
}

void Worker::end_lane(LaneState state) {
  Lane &lane = *current;
  inside = true;
  if (state == LaneState::returned && lane.overwrite.address != 0) {
    settle_overwrite(*this, lane);
  }
  if (state == LaneState::killed) {
    launch->killed_lanes.fetch_add(1, std::memory_order_relaxed);
  }
  lane.state = state;
  lane.warp->alive &= ~(1u << lane.lane);
  void *never_resumed = nullptr;
  fiber_switch(&never_resumed, scheduler_stack);
  __builtin_unreachable();
}

Fault Worker::fault_here(const char *kind, const char *verdict, const CodeSite &site) const {
  Fault fault;
  fault.kind = kind;
  fault.verdict = verdict;
  fault.kernel = launch->site.name;
  fault.block = block_index;
  fault.thread = current != nullptr ? current->index : Index3{};
  fault.site = site;
  return fault;
}

int block_barrier(BarrierOp op, int predicate, Site site) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return predicate;
  }
  const Inside inside(*worker);
  Lane &lane = *worker->current;
  if (lane.overwrite.address != 0) {
    settle_overwrite(*worker, lane);
  }
  lane.barrier_op = op;
  lane.predicate = predicate;
  lane.waiting_at = CodeSite{__builtin_return_address(0), site};
  lane.state = LaneState::at_barrier;
  worker->wait();
  return static_cast<int>(lane.result);
}

}  // namespace camp_sim
