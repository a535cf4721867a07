// lane.hpp: one simulated CUDA thread, its warp, and the barrier that a block gathers at.
#pragma once

#include <cstdint>
#include <memory>

#include "camp_sim/engine.h"
#include "counters.hpp"
#include "fault.hpp"
#include "order.hpp"

namespace camp_sim {

enum class LaneState : uint8_t { ready, at_barrier, at_collective, returned, killed };

struct Warp;

// What a lane has to remember of other threads' memory: untouched by nearly every lane.
struct Ledger {
  // Ordering through fences and atomics.
  Knowledge acquired;
  std::shared_ptr<const Release> fenced;
  uint64_t atomic_key = 0;  // of an atomic whose acquiring is still to come; 0: none
  // A write over another thread's bytes is a race only if it changes them; see race.cc.
  PendingOverwrite overwrite;
};

// One CUDA thread. The first cache line is all that a switch and an access need: hundreds of lanes
// take turns.
struct alignas(64) Lane {
  void *stack_pointer = nullptr;
  uintptr_t stack_low = 0;
  Warp *warp = nullptr;
  uint64_t cell_bits = 0;  // generation, block, clock and thread, as in a Cell
  Index3 index{};
  uint32_t thread = 0;  // within the block, x fastest
  uint32_t clock = 0;   // advances where this lane's past becomes visible to others
  uint8_t lane = 0;     // within the warp
  LaneState state = LaneState::ready;
  bool unsettled = false;  // see settle(): the ledger has an atomic or an overwrite
  bool informed = false;   // the ledger has acquired or fenced something
  uint64_t result = 0;     // of the collective or barrier that it waited for
  Ledger *ledger = nullptr;
  // What it waits for.
  CodeSite waiting_at;
  uint64_t value = 0;
  int predicate = 0;
  uint32_t mask = 0;
  int argument = 0;
  uint32_t spins = 0;
  WarpOp warp_op = WarpOp::sync;
  BarrierOp barrier_op = BarrierOp::sync;
  uint8_t width = 32;
  bool comparing = false;  // its next atomic compares memory with an expected value

  bool alive() const { return state != LaneState::returned && state != LaneState::killed; }
};

static_assert(sizeof(Lane) == 128, "two cache lines");

// The barrier that the lanes of a block gather at.
struct Gathering {
  uint32_t arrived = 0;
  int agreeing = 0;        // predicates that are not 0
  uint32_t latest = 0;     // clock of a lane
  Site line{nullptr, 0};   // of the first to arrive
  bool elsewhere = false;  // some wait at another line

  void arrive(const Lane &lane) {
    const Site &site = lane.waiting_at.line;
    if (arrived++ == 0) {
      line = site;
    } else if (site.line != line.line || site.file != line.file) {
      elsewhere = elsewhere || !same_line(site, line);
    }
    agreeing += lane.predicate != 0 ? 1 : 0;
    latest = lane.clock > latest ? lane.clock : latest;
  }
};

struct Warp {
  Lane *lanes = nullptr;
  uint32_t index = 0;
  uint32_t count = 0;
  uint32_t alive = 0;  // lanes neither returned nor killed
  // The usual case of a collective, all lanes with one operation and mask, without a search.
  WarpOp gathering_op = WarpOp::sync;
  uint32_t gathering_mask = 0;
  uint32_t gathered = 0;
  WarpClocks clocks;
  WarpCounters counters;

  // All lanes stand at a barrier of the block, or are done.
  bool rests() const {
    uint32_t standing = 0;
    for (uint32_t i = 0; i < count; ++i) {
      standing |= lanes[i].state == LaneState::at_barrier ? 1u << i : 0;
    }
    return standing == alive;
  }
};

}  // namespace camp_sim
