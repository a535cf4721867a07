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
  const RecentTarget &target = worker.recent_at(pc);
  if (target.pc != pc || address % bytes != 0 || lane.unsettled || !target.holds(address, bytes) ||
      (write && !target.writable)) {
    return false;
  }
  if (target.shadow != nullptr) {
    const MemoryNow &memory = target.shared ? worker.in_shared : worker.in_global;
    const Cell now =
        Cell::make(lane.cell_bits, 0xf, write ? AccessKind::write : AccessKind::read, target.site);
    Word *word = &target.shadow[(address >> 2) - (target.begin >> 2)];
#pragma GCC unroll 4
    for (size_t i = 0; i < bytes / 4; ++i, ++word) {
      if (word->state.load(std::memory_order_relaxed) != memory.all_written) {
        if (!write) {
          return false;
        }
        word->state.store(memory.all_written, std::memory_order_relaxed);
      }
      if (!remember_alone(*word, now, memory.horizon)) {
        return false;
      }
    }
  }
  worker.counters.count(lane.warp->counters, lane.lane, write ? target.stores : target.loads,
                        address - target.begin + target.counted_from, bytes);
  return true;
}

}  // namespace camp_sim
