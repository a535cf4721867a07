// groups_any.h: a group whose kind is known only when the program runs: the block or lanes of a
// warp.
#pragma once

#include "camp_sim/groups_block.h"
#include "camp_sim/groups_coalesced.h"
#include "camp_sim/groups_tile.h"

namespace cooperative_groups {

class thread_group {
 public:
  CAMP_SIM_NO_SANITIZE thread_group(const thread_block &) : lanes_(coalesced_group::of_lanes(0)) {}
  CAMP_SIM_NO_SANITIZE thread_group(const coalesced_group &group) : lanes_(group) {}
  template <unsigned Size, typename Parent>
  CAMP_SIM_NO_SANITIZE thread_group(const thread_block_tile<Size, Parent> &tile)
      : lanes_(coalesced_group::of_lanes(tile.mask(), tile.meta_group_rank(),
                                         tile.meta_group_size())) {}

  CAMP_SIM_NO_SANITIZE unsigned long long size() const {
    return is_block() ? thread_block::num_threads() : lanes_.num_threads();
  }
  CAMP_SIM_NO_SANITIZE unsigned long long thread_rank() const {
    return is_block() ? thread_block::thread_rank() : lanes_.thread_rank();
  }
  CAMP_SIM_NO_SANITIZE void sync(camp_sim::Site site = camp_sim::Site::here()) const {
    if (is_block()) {
      thread_block::sync(site);
    } else {
      lanes_.sync(site);
    }
  }

 private:
  friend thread_group tiled_partition(const thread_group &parent, unsigned size,
                                      camp_sim::Site site);
  CAMP_SIM_NO_SANITIZE bool is_block() const { return lanes_.mask() == 0; }

  coalesced_group lanes_;
};

}  // namespace cooperative_groups
