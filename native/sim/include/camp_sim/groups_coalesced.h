// groups_coalesced.h: any set of lanes of one warp as a cooperative group, ranked by lane.
#pragma once

#include "camp_sim/groups_block.h"
#include "camp_sim/groups_shuffle.h"
#include "camp_sim/integer_math.h"

namespace cooperative_groups {

class coalesced_group {
 public:
  CAMP_SIM_NO_SANITIZE void sync(camp_sim::Site site = camp_sim::Site::here()) const {
    __syncwarp(mask_, site);
  }
  CAMP_SIM_NO_SANITIZE unsigned num_threads() const { return static_cast<unsigned>(__popc(mask_)); }
  CAMP_SIM_NO_SANITIZE unsigned size() const { return num_threads(); }
  CAMP_SIM_NO_SANITIZE unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(mask_ & ((1u << camp_sim::lane()) - 1u)));
  }
  // Of the parts that a partition made, which this is and how many there are.
  CAMP_SIM_NO_SANITIZE unsigned meta_group_size() const { return meta_size_; }
  CAMP_SIM_NO_SANITIZE unsigned meta_group_rank() const { return meta_rank_; }

  template <typename T>
  CAMP_SIM_NO_SANITIZE T shfl(T value, unsigned rank,
                              camp_sim::Site site = camp_sim::Site::here()) const {
    return camp_sim::shuffle_value(mask_, value, lane_of(rank), 32, site);
  }
  // Past an end a thread keeps its own value.
  template <typename T>
  CAMP_SIM_NO_SANITIZE T shfl_up(T value, unsigned delta,
                                 camp_sim::Site site = camp_sim::Site::here()) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank >= delta ? rank - delta : rank, site);
  }
  template <typename T>
  CAMP_SIM_NO_SANITIZE T shfl_down(T value, unsigned delta,
                                   camp_sim::Site site = camp_sim::Site::here()) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank + delta < num_threads() ? rank + delta : rank, site);
  }
  CAMP_SIM_NO_SANITIZE int any(int predicate, camp_sim::Site site = camp_sim::Site::here()) const {
    return __any_sync(mask_, predicate, site);
  }
  CAMP_SIM_NO_SANITIZE int all(int predicate, camp_sim::Site site = camp_sim::Site::here()) const {
    return __all_sync(mask_, predicate, site);
  }
  CAMP_SIM_NO_SANITIZE unsigned ballot(int predicate,
                                       camp_sim::Site site = camp_sim::Site::here()) const {
    return packed(__ballot_sync(mask_, predicate, site));
  }
  template <typename T>
  CAMP_SIM_NO_SANITIZE unsigned match_any(T value,
                                          camp_sim::Site site = camp_sim::Site::here()) const {
    return packed(__match_any_sync(mask_, value, site));
  }
  template <typename T>
  CAMP_SIM_NO_SANITIZE unsigned match_all(T value, int &all_equal,
                                          camp_sim::Site site = camp_sim::Site::here()) const {
    return packed(__match_all_sync(mask_, value, &all_equal, site));
  }

  // For the functions that make groups.
  CAMP_SIM_NO_SANITIZE static coalesced_group of_lanes(unsigned mask, unsigned meta_rank = 0,
                                                       unsigned meta_size = 1) {
    coalesced_group group;
    group.mask_ = mask;
    group.meta_rank_ = meta_rank;
    group.meta_size_ = meta_size;
    return group;
  }
  CAMP_SIM_NO_SANITIZE unsigned mask() const { return mask_; }

 private:
  coalesced_group() = default;

  // The lane of the rank-th member; an absent one names a lane outside of the group.
  CAMP_SIM_NO_SANITIZE int lane_of(unsigned rank) const {
    return static_cast<int>(__fns(mask_, 0, static_cast<int>(rank) + 1));
  }
  // Bit i of the result is that of the i-th member.
  CAMP_SIM_NO_SANITIZE unsigned packed(unsigned lanes) const {
    unsigned result = 0, rank = 0;
    for (unsigned i = 0; i < 32; ++i) {
      if ((mask_ >> i & 1u) == 0) continue;
      result |= (lanes >> i & 1u) << rank++;
    }
    return result;
  }

  unsigned mask_ = 0;
  unsigned meta_rank_ = 0, meta_size_ = 1;
};

CAMP_SIM_NO_SANITIZE inline coalesced_group coalesced_threads(
    camp_sim::Site site = camp_sim::Site::here()) {
  return coalesced_group::of_lanes(__activemask(site));
}

}  // namespace cooperative_groups
