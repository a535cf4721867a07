// branches.hpp: which lanes of a warp take which way, in code compiled for counting.
//
// A compiler that is asked for coverage calls a hook at the start of every stretch of code that a
// branch can lead to. Each such place is a site here; a warp executes it once with the lanes that
// take that way together, so lanes over executions say how far the warp diverged.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace camp_sim {

struct BranchTotals {
  const void *pc = nullptr;
  uint64_t executions = 0;
  uint64_t lanes = 0;
  uint64_t full_executions = 0;  // with every lane that the warp was launched with
  void add(const BranchTotals &other);
};

// What one warp has under way at one site since its lanes last met.
struct WarpBranch {
  uint32_t epoch = 0;
  uint32_t passes[32] = {};
  std::vector<uint32_t> lanes;  // by pass: a mask
};
using WarpBranches = std::vector<WarpBranch>;  // by the worker's number of the site

// One worker's totals of one launch.
class BranchCounters {
 public:
  void begin_launch();
  // `epoch` advances when the lanes meet; `whole` are the lanes the warp was launched with.
  void count(WarpBranches &warp, uint32_t epoch, uint32_t lane, uint32_t whole, const void *pc);
  // Closes what the warp has open.
  void finish(WarpBranches &warp, uint32_t whole);
  const std::vector<BranchTotals> &totals() const { return totals_; }

 private:
  uint32_t site_of(const void *pc);
  void close(WarpBranch &open, uint32_t whole, BranchTotals &total);

  struct CacheEntry {
    const void *pc = nullptr;
    uint32_t site = 0;
  };
  CacheEntry cache_[256];
  std::unordered_map<const void *, uint32_t> sites_;
  std::vector<BranchTotals> totals_;
};

// Adds the totals of `more` to those of the same sites in `sum`.
void add_branches(std::vector<BranchTotals> &sum, const std::vector<BranchTotals> &more);

}  // namespace camp_sim
