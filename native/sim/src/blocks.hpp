// blocks.hpp: how often warps enter the basic blocks of code compiled for counting, and with how
// many lanes: how far they diverge.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace camp_sim {

struct BlockTotals {
  const void *pc = nullptr;
  uint64_t executions = 0;
  uint64_t lanes = 0;
  uint64_t full_executions = 0;  // by every lane that the warp was launched with
  void add(const BlockTotals &other);
};

// One worker's totals of one launch.
class BlockCounters {
 public:
  void begin_launch();
  uint32_t slot_of(const void *pc);
  // A warp of the lanes `whole` enters the block with `lanes`.
  void enter(uint32_t slot, uint32_t lanes, uint32_t whole);
  const std::vector<BlockTotals> &totals() const { return totals_; }

 private:
  struct CacheEntry {
    const void *pc = nullptr;
    uint32_t slot = 0;
  };
  CacheEntry cache_[256];
  std::unordered_map<const void *, uint32_t> slots_;
  std::vector<BlockTotals> totals_;  // by slot
};

// Adds the totals of `more` to those of the same blocks in `sum`.
void add_blocks(std::vector<BlockTotals> &sum, const std::vector<BlockTotals> &more);

}  // namespace camp_sim
