// block.cc: one block from start to end: its lanes, and which of them runs next.
#include <algorithm>

#include "access.hpp"
#include "state.hpp"
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

// Hundreds of stacks do not fit the nearest cache: fetch the next one while a lane runs.
inline void prefetch_stack(const Lane &lane) {
  const auto *top = static_cast<const char *>(lane.stack_pointer);
  __builtin_prefetch(top);
  __builtin_prefetch(top + 64);
  __builtin_prefetch(top + 128);
  __builtin_prefetch(&lane + 1);
}

[[noreturn]] void lane_entry() {
  Worker &worker = *this_worker();
  worker.inside = false;
  worker.launch->entry(worker.launch->frame);
  worker.end_lane(LaneState::returned);
}

}  // namespace

void Worker::prepare_lanes() {
  const Launch &run = *launch;
  const uint32_t threads = run.threads;
  lanes.resize(threads);
  ledgers.resize(threads);
  alive = threads;
  gathering = Gathering{};
  const uint32_t warp_count = (threads + lanes_per_warp - 1) / lanes_per_warp;
  warps.resize(warp_count);
  stacks.reserve(threads);
  block_clock = 1;
  tracks_shared = true;
  tracks_global = run.track_blocks;
  update_horizons();
  block_acquired = Knowledge{};
  block_fenced.reset();
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;
  for (uint32_t t = 0; t < threads; ++t) {
    Lane &lane = lanes[t];
    if (lane.informed || lane.unsettled) {
      ledgers[t] = Ledger{};
    }
    lane = Lane{};
    lane.stack_low = stacks.low(t);
    lane.stack_pointer = fiber_prepare(stacks.top(t), lane_entry);
    lane.warp = &warps[t / lanes_per_warp];
    lane.ledger = &ledgers[t];
    lane.index = {x, y, z};
    lane.thread = t;
    set_clock(lane, 1);
    lane.lane = static_cast<uint8_t>(t % lanes_per_warp);
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
    warp.counters.whole = warp.alive;
    warp.counters.meet();
  }
}

void Worker::stop_tracking() {
  tracks_shared = tracks_global = false;
  std::fill(std::begin(recent), std::end(recent), RecentTarget{});
}

void Worker::run_block(uint64_t linear) {
  const dim3 grid = launch->config.grid;
  block_linear = linear;
  block_epoch = Cell::epoch(launch->generation, cell_block(), 0);
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

// Runs every lane of the warp that can run until all stand at a barrier or at a collective that
// is not complete, or are done. False when none could run.
bool Worker::run_warp(Warp &warp) {
  const uint64_t seed = launch->options.schedule_seed;
  const uint32_t start =
      (static_cast<uint32_t>(seed >> 8) + static_cast<uint32_t>(seed) * 7) % warp.count;
  lanes_backwards = (seed & 1) != 0;
  bool ran = false;
  do {
    turn = Turn{&warp, lanes_backwards ? warp.count - 1 - start : start, warp.count, false};
    if (const Lane *first = next_lane()) {
      ran = true;
      fiber_switch(&scheduler_stack, first->stack_pointer);
    }
  } while (turn.again && !launch->abandoned.load(std::memory_order_relaxed));
  return ran;
}

// Makes the next lane that can run the current one; null at the end of the pass.
Lane *Worker::next_lane() {
  const Warp &warp = *turn.warp;
  while (turn.left > 0 && !launch->abandoned.load(std::memory_order_relaxed)) {
    Lane &lane = warp.lanes[turn.next];
    --turn.left;
    turn.next = lanes_backwards ? (turn.next == 0 ? warp.count : turn.next) - 1
                                : (turn.next + 1 == warp.count ? 0 : turn.next + 1);
    if (lane.state == LaneState::ready) {
      prefetch_stack(warp.lanes[turn.next]);
      thread_index_variable = uint3{lane.index[0], lane.index[1], lane.index[2]};
      return current = &lane;
    }
  }
  return current = nullptr;
}

// Called on a fiber: switches straight to the next lane, or to the scheduler after the last.
// Besides the shorter way this lets the processor predict the returns, since the lanes of a warp
// mostly wait at the same place.
void Worker::leave(void **save) {
  const Lane *next = next_lane();
  fiber_switch(save, next != nullptr ? next->stack_pointer : scheduler_stack);
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
      Warp &warp = warps[backwards ? warp_count - 1 - at : at];
      ran = run_warp(warp) || ran;
      if (warp.counters.trace.recording && warp.rests()) {
        counters.replay_trace(warp.counters);  // before the next warp's trace takes memory too
      }
    }
    if (!ran && !release_barrier() && !resolve_stall()) {
      return;
    }
    if (launch_expired(*launch)) {
      return;
    }
  }
}

void Worker::wait() {
  Lane &lane = *current;
  const Inside switching(*this);
  // A lane that spins gives way to other warps too; one that waits for its warp needs it to go on.
  turn.again = turn.again || lane.state == LaneState::at_collective;
  leave(&lane.stack_pointer);
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
  if (state == LaneState::returned) {
    settle(*this, lane);
  }
  if (state == LaneState::killed) {
    launch->killed_lanes.fetch_add(1, std::memory_order_relaxed);
  }
  lane.state = state;
  --alive;
  lane.warp->alive &= ~(1u << lane.lane);
  void *never_resumed = nullptr;
  leave(&never_resumed);
  __builtin_unreachable();
}

Fault Worker::fault_here(const char *kind, const char *verdict, const CodeSite &site) const {
  Fault fault;
  fault.kind = kind;
  fault.verdict = verdict;
  fault.kernel = launch->kernel;
  fault.block = block_index;
  fault.thread = current != nullptr ? current->index : Index3{};
  fault.site = site;
  return fault;
}

}  // namespace camp_sim
