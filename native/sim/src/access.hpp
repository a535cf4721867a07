// access.hpp: every load and store of kernel code passes here before it happens.
//
// Nearly every access is in bounds, of memory that was written, and meets no other thread's: that
// is decided here, inline, so that each hook gets the way for its own size. All else is in
// access.cc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "race.hpp"
#include "state.hpp"

namespace camp_sim {

// An access of a lane that is running.
struct Access {
  uintptr_t address;
  size_t bytes;
  AccessKind kind;
  CodeSite site;

  bool writes() const { return kind != AccessKind::read; }
  uintptr_t end() const { return address + bytes; }
  uintptr_t first_word() const { return address & ~uintptr_t{3}; }
};

// Checks bounds, permission, initialisation and races, and counts the traffic. Does not return when
// the access must not happen: the lane ends there. `worker` is running a lane.
void check_access(Worker &worker, const Access &access);

void settle_now(Worker &worker, Lane &lane);

// Brings the lane's books up to date with what it did last: whether a write over foreign bytes
// changed them, and what an atomic made it know. To be called before its next access and before it
// gives way.
inline void settle(Worker &worker, Lane &lane) {
  if (lane.unsettled) {
    settle_now(worker, lane);
  }
}

// check_access for a plain access of whole words where nothing is out of the ordinary. False: not
// decided, call check_access; what was done until then it may do again.
template <size_t bytes, bool write>
inline bool check_usual(Worker &worker, Lane &lane, uintptr_t address, const void *pc) {
  static_assert(bytes % 4 == 0);
  const uint32_t site = worker.counters.known_site(pc);
  const RecentTarget &target = worker.recent[site % Worker::recent_count];
  if (site == 0 || address % bytes != 0 || lane.unsettled || !target.holds(address, bytes) ||
      (write && !target.writable)) {
    return false;
  }
  if (target.shadow != nullptr) {
    const uint64_t all_written = target.shared ? worker.shared.all_written() : Word::all_written;
    const Horizon horizon = target.shared ? worker.horizon() : worker.launch_horizon();
    const Cell now = worker.cell(lane, 0xf, write ? AccessKind::write : AccessKind::read, site);
    Word *word = &target.shadow[(address >> 2) - (target.begin >> 2)];
#pragma GCC unroll 4
    for (size_t i = 0; i < bytes / 4; ++i, ++word) {
      if (word->state.load(std::memory_order_relaxed) != all_written) {
        if (!write) {
          return false;
        }
        word->state.store(all_written, std::memory_order_relaxed);
      }
      if (!remember_alone(*word, now, horizon)) {
        return false;
      }
    }
  }
  worker.counters.count(lane.warp->counters, lane.lane, site,
                        target.shared
                            ? (write ? TrafficKind::shared_store : TrafficKind::shared_load)
                            : (write ? TrafficKind::global_store : TrafficKind::global_load),
                        address - target.begin + target.counted_from, bytes);
  return true;
}

}  // namespace camp_sim
