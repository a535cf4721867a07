// branches.cc: putting a warp's ways together again: the k-th time each lane comes by a site since
// the warp last met is one execution, as it is with requests (counters.hpp).
#include "branches.hpp"

#include <algorithm>
#include <cstring>

namespace camp_sim {
namespace {

// As for requests: an endless loop must end at its time limit, not by running out of memory.
constexpr size_t most_open_passes = size_t{1} << 16;

}  // namespace

void BranchTotals::add(const BranchTotals &other) {
  executions += other.executions;
  lanes += other.lanes;
  full_executions += other.full_executions;
}

void BranchCounters::begin_launch() {
  sites_.clear();
  totals_.clear();
  std::fill(std::begin(cache_), std::end(cache_), CacheEntry{});
}

uint32_t BranchCounters::site_of(const void *pc) {
  const auto hash = reinterpret_cast<uintptr_t>(pc);
  CacheEntry &entry = cache_[(hash ^ hash >> 8) & 255];
  if (entry.pc != pc) {
    const auto [found, added] = sites_.try_emplace(pc, static_cast<uint32_t>(totals_.size()));
    if (added) {
      totals_.emplace_back();
      totals_.back().pc = pc;
    }
    entry.pc = pc;
    entry.site = found->second;
  }
  return entry.site;
}

void BranchCounters::count(WarpBranches &warp, uint32_t epoch, uint32_t lane, uint32_t whole,
                           const void *pc) {
  const uint32_t site = site_of(pc);
  if (warp.size() <= site) {
    warp.resize(totals_.size());
  }
  WarpBranch &open = warp[site];
  if (open.epoch != epoch) {
    close(open, whole, totals_[site]);
    open.epoch = epoch;
  }
  const size_t pass = open.passes[lane]++;
  if (pass >= most_open_passes) {
    ++totals_[site].executions;
    ++totals_[site].lanes;
    return;
  }
  if (open.lanes.size() <= pass) {
    open.lanes.push_back(0);
  }
  open.lanes[pass] |= 1u << lane;
}

void BranchCounters::close(WarpBranch &open, uint32_t whole, BranchTotals &total) {
  for (const uint32_t lanes : open.lanes) {
    ++total.executions;
    total.lanes += static_cast<uint64_t>(__builtin_popcount(lanes));
    total.full_executions += lanes == whole ? 1 : 0;
  }
  open.lanes.clear();
  std::memset(open.passes, 0, sizeof(open.passes));
}

void BranchCounters::finish(WarpBranches &warp, uint32_t whole) {
  for (size_t site = 0; site < warp.size(); ++site) {
    close(warp[site], whole, totals_[site]);
  }
}

void add_branches(std::vector<BranchTotals> &sum, const std::vector<BranchTotals> &more) {
  for (const BranchTotals &item : more) {
    const auto same = [&item](const BranchTotals &mine) { return mine.pc == item.pc; };
    const auto found = std::find_if(sum.begin(), sum.end(), same);
    if (found == sum.end()) {
      sum.push_back(item);
    } else {
      found->add(item);
    }
  }
}

}  // namespace camp_sim
