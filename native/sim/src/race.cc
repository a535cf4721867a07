// race.cc: races decided by order, never by luck.
#include "race.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "access.hpp"
#include "state.hpp"

namespace camp_sim {
namespace {

Index3 thread_index(uint32_t thread, const LaunchConfig &config) {
  const uint32_t x = config.block.x;
  const uint32_t y = config.block.y;
  return {thread % x, thread / x % y, thread / x / y};
}

Index3 block_index(uint64_t block, const LaunchConfig &config) {
  const uint64_t x = config.grid.x;
  const uint64_t y = config.grid.y;
  return {static_cast<uint32_t>(block % x), static_cast<uint32_t>(block / x % y),
          static_cast<uint32_t>(block / x / y)};
}

// Whether the remembered access happened before anything `lane` does now.
bool ordered(Worker &worker, const Lane &lane, Cell cell) {
  if (cell.block() == worker.cell_block()) {
    if (cell.clock() < worker.block_clock) {
      return true;
    }
    const Warp &warp = *lane.warp;
    const uint32_t other = cell.thread();
    if (other / 32 == warp.index) {
      if (cell.clock() < warp.clocks.base) {
        return true;
      }
      if (warp.clocks.partial && warp.clocks.known[lane.lane][other % 32] >= cell.clock()) {
        return true;
      }
    }
  }
  SyncTable &sync = worker.launch->sync;
  const uint32_t reader = worker.cell_block();
  return sync.covers(lane.ledger->acquired, cell, reader) ||
         sync.covers(worker.block_acquired, cell, reader);
}

const char *past_of(Cell cell) {
  return cell.atomic() ? "atomically updated" : cell.write() ? "wrote" : "read";
}

const char *present_of(Cell cell) {
  return cell.atomic() ? "atomically updates" : cell.write() ? "writes" : "reads";
}

// Atomics do not race with one another, those of _block scope only within their block.
bool both_atomic(Cell a, Cell b) {
  return a.atomic() && b.atomic() &&
         (((a.bits ^ b.bits) & Cell::epoch_mask) == 0 || !(a.block_atomic() || b.block_atomic()));
}

const char *advice_for(Cell now, Cell before, bool same_block, bool same_warp, bool shared) {
  if (now.atomic() && before.atomic()) {
    return "The _block functions are atomic among the threads of one block only: use the one "
           "without _block where other blocks take part.";
  }
  if (!same_block) {
    return "Blocks run in any order and __threadfence does not make one wait for another: use a "
           "second kernel, or an atomic.";
  }
  if (same_warp) {
    return "Since Volta the lanes of a warp may drift apart: put __syncwarp() between the two, or "
           "exchange the value by a shuffle.";
  }
  return shared ? "Put __syncthreads() between the two, also where a buffer is used again."
                : "Put __syncthreads() between the two, or let one thread own the element.";
}

// Elements of what was raced for; 0 where it is gone.
int64_t elements_of(const Worker &worker, const RaceTarget &target, bool shared) {
  if (shared) {
    const SharedRange *range = worker.shared.nearest(target.word);
    return range == nullptr ? 0 : static_cast<int64_t>(range->bytes / range->element_bytes);
  }
  for (const Region *region : regions().visible()) {
    if (region->begin == target.begin) {
      return region->elements();
    }
  }
  return 0;
}

std::string element_name(const RaceTarget &target) {
  const size_t index = (target.word - target.begin) / target.element_bytes;
  return std::string(target.name) + '[' + std::to_string(index) + ']';
}

void report(Worker &worker, Cell now, Cell before, const RaceTarget &target, bool shared,
            bool same_value) {
  const SiteRegistry::Place here = sites().place(now.site());
  const SiteRegistry::Place there = sites().place(before.site());
  const CodeSite site{here.pc, here.line};
  const CodeSite other{there.pc, there.line};
  const char *kind = same_value ? "redundant_write" : "race";
  const bool same_block = before.block() == worker.cell_block();
  const bool same_warp = same_block && before.thread() / 32 == now.thread() / 32;
  const Reach reach = same_warp ? Reach::warp : same_block ? Reach::block : Reach::grid;
  if (fault_log().bump(kind, site, other, reach)) {
    return;
  }
  Fault fault = worker.fault_here(kind, "RACE", site);
  fault.severity = same_value ? Severity::warning : Severity::error;
  fault.has_other = true;
  fault.other_site = other;
  fault.other_thread = thread_index(before.thread(), worker.launch->config);
  fault.reach = reach;
  fault.other_block =
      same_block ? worker.block_index : block_index(before.block(), worker.launch->config);
  fault.tensor = target.name;
  fault.space = shared ? "shared" : "global";
  fault.access = now.atomic() ? "atomic" : now.write() ? "write" : "read";
  fault.has_index = true;
  fault.index = static_cast<int64_t>((target.word - target.begin) / target.element_bytes);
  fault.elements = elements_of(worker, target, shared);
  fault.bytes = target.element_bytes;
  const std::string where = same_warp    ? "another lane of its warp"
                            : same_block ? "a thread of another warp"
                                         : "a thread of another block";
  if (same_value) {
    fault.message = "a thread writes " + element_name(target) + " with the value that " + where +
                    " wrote there: harmless, but all but one of the writes are wasted";
    fault.advice = "Let one thread write it.";
  } else {
    fault.message = "a thread " + std::string(present_of(now)) + ' ' + element_name(target) +
                    ", which " + where + ' ' + past_of(before) + ", and nothing orders the two";
    fault.advice = advice_for(now, before, same_block, same_warp, shared);
  }
  fault_log().add(std::move(fault));
}

// Whether it matters is known once this one has happened.
void remember_overwrite(Lane &lane, Cell now, Cell before, uint32_t mask, uintptr_t word) {
  PendingOverwrite &pending = lane.ledger->overwrite;
  const uint32_t known = pending.count;
  if (known == std::size(pending.parts) ||
      (known > 0 && (pending.parts[known - 1].address & ~uintptr_t{3}) == word)) {
    return;  // one of those that wrote the word before is enough
  }
  lane.unsettled = true;
  PendingOverwrite::Part &part = pending.parts[pending.count++];
  part.address = word + static_cast<uint32_t>(__builtin_ctz(mask));
  part.bytes = static_cast<uint32_t>(__builtin_popcount(mask));
  std::memcpy(part.old_value, reinterpret_cast<const void *>(part.address), part.bytes);
  part.other = before;
  pending.own = now;
}

// Reports the first word that was changed, or, when none was, that the write was in vain; of a read
// the first word.
void settle_overwrite(Worker &worker, Lane &lane) {
  PendingOverwrite &pending = lane.ledger->overwrite;
  const PendingOverwrite::Part *const begin = pending.parts;
  const PendingOverwrite::Part *const end = begin + pending.count;
  const auto *changed = std::find_if(begin, end, [](const PendingOverwrite::Part &part) {
    return std::memcmp(reinterpret_cast<const void *>(part.address), part.old_value, part.bytes) !=
           0;
  });
  const bool guess = pending.is_guess();
  const bool same = changed == end && !guess;
  const PendingOverwrite::Part &part = same || guess ? pending.parts[0] : *changed;
  const uintptr_t address = part.address;
  pending.count = 0;
  if (worker.shared.contains(address)) {
    const SharedRange *range = worker.shared.locate(address, part.bytes);
    if (range != nullptr) {
      report(worker, pending.own, part.other,
             RaceTarget{range->name, reinterpret_cast<uintptr_t>(worker.shared.pointer(*range)),
                        range->element_bytes, address},
             true, same);
    }
    return;
  }
  for (const Region *region : regions().visible()) {
    if (region->writable && region->contains(address, part.bytes)) {
      report(worker, pending.own, part.other,
             RaceTarget{region->name.c_str(), region->begin, region->element_bytes, address}, false,
             same);
      return;
    }
  }
}

}  // namespace

void settle_now(Worker &worker, Lane &lane) {
  lane.unsettled = false;
  if (lane.ledger->overwrite.count != 0) {
    settle_overwrite(worker, lane);
  }
  if (lane.ledger->atomic_key != 0) {
    if (worker.launch->fences.load(std::memory_order_relaxed)) {
      worker.launch->sync.acquire(lane.ledger->atomic_key, lane.ledger->acquired);
      lane.informed = true;
    }
    lane.ledger->atomic_key = 0;
  }
}

namespace {

// The lane is about to compare the word with what it read: its read was a guess.
void note_guess(Launch &launch, const Word &word, Cell now) {
  for (int i = 0; i < 3; ++i) {
    const Cell before = word.load(i);
    if (!before.write() && ((before.bits ^ now.bits) & Cell::owner_mask) == 0) {
      const std::lock_guard<std::mutex> lock(launch.guesses_mutex);
      launch.guesses.set(before.site());
    }
  }
}

bool is_guess(Launch &launch, Cell read) {
  const std::lock_guard<std::mutex> lock(launch.guesses_mutex);
  return launch.guesses.test(read.site());
}

}  // namespace

void check_race(Worker &worker, Lane &lane, Word &word, uint32_t mask, AccessKind kind,
                uint32_t site_id, bool shared, RaceTarget target) {
  if (!(shared ? worker.tracks_shared : worker.tracks_global)) {
    return;
  }
  const bool write = kind != AccessKind::read;
  const Cell now = Cell::make(lane.cell_bits, mask, kind, site_id);
  if (lane.comparing && now.atomic()) {
    note_guess(*worker.launch, word, now);
  }
  int slot = -1;
  int slot_worth = 3;  // how much is lost by overwriting: 0 nothing .. 2 a foreign write
  for (int i = 0; i < 3; ++i) {
    const Cell before = word.load(i);
    if (before.bits == now.bits) {
      return;
    }
    // Shared memory is another in every block, and every launch begins ordered after the last.
    const uint64_t epoch = shared ? Cell::epoch_mask : Cell::generation_mask;
    // Whoever races with `before` will race with `now` too.
    const bool stronger = (before.byte_mask() & ~mask) == 0 && (write || !before.write()) &&
                          (!now.atomic() || before.atomic()) &&
                          (!now.atomic() || now.block_atomic() || !before.block_atomic());
    int worth;
    if (before.empty() || ((before.bits ^ now.bits) & epoch) != 0) {
      worth = 0;
    } else if (((before.bits ^ now.bits) & Cell::owner_mask) == 0) {
      // Our own earlier access is superseded by one that is at least as strong, and a read that was
      // a guess by the atomic that follows it.
      const bool guess = now.atomic() && !before.write() && (before.byte_mask() & ~mask) == 0;
      worth = stronger || guess ? 0 : 2;
    } else if ((before.byte_mask() & mask) == 0 || !(write || before.write()) ||
               both_atomic(before, now)) {
      worth = before.write() ? 2 : 1;
    } else if (ordered(worker, lane, before)) {
      // Nobody can meet an access of this block from before its last barrier unordered, unless
      // from another block.
      const bool past = shared && before.clock() < worker.block_clock;
      worth = past || stronger ? 0 : 2;
    } else {
      const bool overwrite = write && before.write() && !now.atomic() && !before.atomic();
      const bool guess = !write && before.atomic();
      if (overwrite || guess) {
        remember_overwrite(lane, now, before, mask & before.byte_mask(), target.word);
      } else if (!(now.atomic() && !before.write() && is_guess(*worker.launch, before))) {
        report(worker, now, before, target, shared, false);
      }
      worth = before.write() ? 2 : 1;
    }
    if (worth < slot_worth) {
      slot = i;
      slot_worth = worth;
    }
  }
  if (slot_worth == 2) {
    worker.random = worker.random * 6364136223846793005ULL + 1442695040888963407ULL;
    slot = static_cast<int>((worker.random >> 33) % 3);
  }
  word.store(slot, now);
}

}  // namespace camp_sim
