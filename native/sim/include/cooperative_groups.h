// cooperative_groups.h: groups of threads within a block: the block, tiles of a warp and the
// threads that happen to run together. Whole grids and clusters need a GPU.
#pragma once

#include <type_traits>
#include <utility>

#include "camp_sim/groups_any.h"
#include "camp_sim/groups_block.h"
#include "camp_sim/groups_coalesced.h"
#include "camp_sim/groups_grid.h"
#include "camp_sim/groups_partition.h"
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

// One thread of the group calls function(arguments...); the second form gives all of them its
// result.
template <typename Group, typename Function, typename... Arguments>
void invoke_one(const Group &group, Function &&function, Arguments &&...arguments) {
  if (group.thread_rank() == 0) {
    std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  }
}
template <typename Group, typename Function, typename... Arguments>
auto invoke_one_broadcast(const Group &group, Function &&function, Arguments &&...arguments) {
  std::decay_t<std::invoke_result_t<Function, Arguments...>> result{};
  if (group.thread_rank() == 0) {
    result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  }
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
