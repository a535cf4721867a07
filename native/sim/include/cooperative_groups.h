// cooperative_groups.h: groups of threads within a block: the block, tiles of a warp and the
// threads that happen to run together. Whole grids and clusters need a GPU.
#pragma once

#include "camp_sim/groups_block.h"
#include "camp_sim/groups_coalesced.h"
#include "camp_sim/groups_grid.h"
#include "camp_sim/groups_tile.h"

namespace cooperative_groups {

template <typename Group>
CAMP_SIM_NO_SANITIZE inline void sync(const Group &group,
                                      camp_sim::Site site = camp_sim::Site::here()) {
  group.sync(site);
}
template <typename Group>
CAMP_SIM_NO_SANITIZE inline auto thread_rank(const Group &group) {
  return group.thread_rank();
}
template <typename Group>
CAMP_SIM_NO_SANITIZE inline auto group_size(const Group &group) {
  return group.size();
}

}  // namespace cooperative_groups
