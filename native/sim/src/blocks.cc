// blocks.cc: sums over the basic blocks that warps enter.
#include "blocks.hpp"

#include <algorithm>

namespace camp_sim {

void BlockTotals::add(const BlockTotals &other) {
  executions += other.executions;
  lanes += other.lanes;
  full_executions += other.full_executions;
}

void BlockCounters::begin_launch() {
  slots_.clear();
  totals_.clear();
  std::fill(std::begin(cache_), std::end(cache_), CacheEntry{});
}

uint32_t BlockCounters::slot_of(const void *pc) {
  const auto hash = reinterpret_cast<uintptr_t>(pc);
  CacheEntry &entry = cache_[(hash ^ hash >> 8) & 255];
  if (entry.pc != pc) {
    const auto [found, added] = slots_.try_emplace(pc, static_cast<uint32_t>(totals_.size()));
    if (added) {
      totals_.emplace_back();
      totals_.back().pc = pc;
    }
    entry.pc = pc;
    entry.slot = found->second;
  }
  return entry.slot;
}

void BlockCounters::enter(uint32_t slot, uint32_t lanes, uint32_t whole) {
  BlockTotals &total = totals_[slot];
  ++total.executions;
  total.lanes += static_cast<uint64_t>(__builtin_popcount(lanes));
  total.full_executions += lanes == whole ? 1 : 0;
}

void add_blocks(std::vector<BlockTotals> &sum, const std::vector<BlockTotals> &more) {
  for (const BlockTotals &item : more) {
    const auto same = [&item](const BlockTotals &mine) { return mine.pc == item.pc; };
    const auto found = std::find_if(sum.begin(), sum.end(), same);
    if (found == sum.end()) {
      sum.push_back(item);
    } else {
      found->add(item);
    }
  }
}

}  // namespace camp_sim
