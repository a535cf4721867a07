// state.hpp: the machine being simulated: lanes in warps in a block, run by a worker (a host
// thread).
#pragma once

#include <atomic>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "camp_sim/engine.h"
#include "camp_sim/launch.h"
#include "counters.hpp"
#include "fault.hpp"
#include "fiber.hpp"
#include "lane.hpp"
#include "order.hpp"
#include "region.hpp"
#include "shared_memory.hpp"

namespace camp_sim {

struct Options {
  uint64_t schedule_seed = 0;
  uint32_t workers = 0;
  uint32_t time_limit_ms = 0;
  uint8_t poison = 0xFF;
  uint32_t most_blocks = 0;
};

struct Launch {
  KernelSite site{};
  LaunchConfig config{};
  void (*entry)(void *) = nullptr;
  void *frame = nullptr;
  size_t frame_bytes = 0;
  Options options;
  uint64_t block_count = 0;
  uint64_t order_multiplier = 1;  // block i of the schedule is (i * multiplier + offset) % count
  uint64_t order_offset = 0;
  uint64_t run_blocks = 0;  // how many of them run: fewer than all where a launch is sampled
  uint32_t threads = 0;
  uint32_t generation = 1;
  uint32_t generation_cycle = 0;
  bool track_blocks = true;              // false where a cell cannot hold the block's number
  std::atomic<const char *> kernel{""};  // its name: as launched, then as the kernel says it
  std::atomic<uint64_t> next_block{0};
  std::atomic<bool> abandoned{false};
  std::atomic<int> refused{0};  // a cudaError_t: the kernel cannot run as it is launched
  std::atomic<size_t> shared_limit{DeviceModel::shared_bytes_optin};  // static and dynamic
  std::atomic<bool> expired{false};
  std::atomic<bool> fences{false};  // some lane has fenced: atomics may order memory
  std::atomic<uint32_t> killed_lanes{0};
  // Sites of plain reads that are first guesses of a compare-and-swap: no race with the atomics of
  // others, also where one of those comes between the guess and its own comparison.
  std::bitset<Cell::max_sites> guesses;
  std::mutex guesses_mutex;
  std::atomic<uint64_t> barriers{0};
  std::chrono::steady_clock::time_point deadline{};
  SharedLayout shared_layout;
  SyncTable sync;  // global addresses through which lanes have ordered each other
  std::mutex counters_mutex;
  LaunchCounters counters;
  std::vector<BlockTotals> blocks;
};

// A tensor or shared variable of at least 16 bytes, the widest access; at first one that lies where
// no address can.
struct alignas(64) RecentTarget {
  const void *pc = nullptr;  // of the access
  uintptr_t begin = uintptr_t{1} << 63;
  size_t size = 16;
  Word *shadow = nullptr;      // of the word that holds `begin`; null: nothing to check there
  uintptr_t counted_from = 0;  // `begin` as the counters take it
  bool writable = false;
  bool shared = false;
  uint32_t site = 0;  // the number of `pc`
  // Where its loads and stores are counted.
  uint32_t loads = 0;
  uint32_t stores = 0;

  bool holds(uintptr_t address, size_t bytes) const { return address - begin <= size - bytes; }
};

// What is the same for all accesses to global or to shared memory, until the next barrier.
struct MemoryNow {
  Horizon horizon{};
  uint64_t all_written = 0;  // the state of a word that is written whole
};

// One pass over the lanes of a warp, in the order of the schedule.
struct Turn {
  Warp *warp = nullptr;
  uint32_t next = 0;   // the lane to look at next
  uint32_t left = 0;   // lanes not yet looked at
  bool again = false;  // a lane waits for others of its warp: it needs another pass
};

// A host thread's share of the machine: one block at a time.
struct Worker {
  Launch *launch = nullptr;
  uintptr_t frame_begin = 0;  // of the kernel's arguments
  size_t frame_bytes = 0;
  Lane *current = nullptr;  // non-null exactly while learner code runs on a fiber
  // In the simulator's own code, where no signal may end the lane: false only on a fiber's own
  // ground.
  volatile bool inside = true;
  const void *last_pc = nullptr;  // of the last access
  void *scheduler_stack = nullptr;
  Turn turn;
  bool lanes_backwards = false;  // the schedule's order of lanes
  StackPool stacks;
  std::vector<Lane> lanes;
  std::vector<Ledger> ledgers;  // by thread
  uint32_t alive = 0;           // lanes neither returned nor killed
  Gathering gathering;
  std::vector<Warp> warps;
  uint64_t block_linear = 0;
  Index3 block_index{};
  uint64_t block_epoch = 0;  // generation and block, as in a cell
  uint32_t block_clock = 1;  // every access before it is ordered by a block barrier
  // Whether accesses are remembered: not where there are more barriers than a cell's clock can
  // count, nor in global memory where there are more blocks than it can tell apart.
  bool tracks_shared = true;
  bool tracks_global = true;
  Knowledge block_acquired;
  std::shared_ptr<const Release> block_fenced;  // what was fenced before the last barrier
  SharedMemory shared;
  SiteCounters counters;
  // By the access's place in the code: a line mostly stays in one tensor.
  static constexpr uint32_t recent_count = 256;
  RecentTarget recent[recent_count];
  RecentTarget &recent_at(const void *pc) {
    const auto hash = reinterpret_cast<uintptr_t>(pc);
    return recent[(hash ^ hash >> 8) % recent_count];
  }
  MemoryNow in_global;
  MemoryNow in_shared;
  uint64_t random = 1;
  uint64_t barriers = 0;

  void run_block(uint64_t linear);
  // Called on a fiber: the other lanes run until it is this one's turn again.
  void wait();
  // Called on a fiber that may be spinning: now and then lets the others run.
  void give_way();
  uint32_t cell_block() const {
    return static_cast<uint32_t>(block_linear & (Cell::max_blocks - 1));
  }
  // Beyond what a cell can count, accesses are remembered no longer.
  void set_clock(Lane &lane, uint32_t clock) {
    lane.clock = clock;
    lane.cell_bits = block_epoch | uint64_t{clock} << Cell::clock_shift |
                     uint64_t{lane.thread} << Cell::thread_shift;
    if (clock > Cell::max_clock) {
      stop_tracking();
    }
  }
  // After the block, or its clock, has changed.
  void update_horizons() {
    in_global = {{block_epoch & Cell::generation_mask, uint64_t{1} << Cell::generation_shift},
                 Word::all_written};
    in_shared = {{block_epoch | uint64_t{block_clock} << Cell::clock_shift,
                  (uint64_t{Cell::max_clock} + 1 - block_clock) << Cell::clock_shift},
                 shared.all_written()};
  }
  // Called on a fiber: this lane never runs again.
  [[noreturn]] void end_lane(LaneState state);
  // A fault's place: kernel, block, thread and `site`.
  Fault fault_here(const char *kind, const char *verdict, const CodeSite &site) const;

 private:
  void stop_tracking();
  void prepare_lanes();
  void schedule();
  bool run_warp(Warp &warp);
  Lane *next_lane();
  void leave(void **save);
  bool release_barrier();
  void report_elsewhere();
  void report_early_exit();
  bool resolve_stall();
};

// The worker of this host thread; null where no launch has run.
extern __thread Worker *current_worker;
inline Worker *this_worker() {
  return current_worker;
}
// Marks a stretch of the simulator's own code on a fiber.
class Inside {
 public:
  explicit Inside(Worker &worker) : worker_(worker), before_(worker.inside) {
    worker_.inside = true;
  }
  ~Inside() { worker_.inside = before_; }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;

 private:
  Worker &worker_;
  bool before_;
};

// The worker if learner kernel code is running on this host thread now.
inline Worker *worker_in_kernel(Worker *worker) {
  return worker != nullptr && worker->current != nullptr ? worker : nullptr;
}
// Inside, where the host may come by too.
class InsideIfKernel {
 public:
  InsideIfKernel() {
    if (Worker *worker = worker_in_kernel(this_worker())) {
      inside_.emplace(*worker);
    }
  }

 private:
  std::optional<Inside> inside_;
};

Options &options();
constexpr uint64_t poison_result = 0x7fff7fff7fff7fffULL;  // NaN as double, float, half and bf16

}  // namespace camp_sim
