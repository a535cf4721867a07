// groups_partition.h: groups made of the threads of another: tiles of a size that is known only
// when the program runs, and the threads that agree on a value.
#pragma once

#include <cstdint>
#include <type_traits>

#include "camp_sim/groups_any.h"
#include "camp_sim/groups_coalesced.h"
#include "camp_sim/groups_tile.h"

namespace camp_sim {

CAMP_SIM_NO_SANITIZE inline void require_tile_size(unsigned size, Site site) {
  if (size == 0 || size > 32 || (size & (size - 1)) != 0) {
    kernel_trap("trap", "tiled_partition: the size of a tile is a power of two up to 32", site);
  }
}

}  // namespace camp_sim

namespace cooperative_groups {

// Runs of `size` threads in order of rank; the last may be shorter.
CAMP_SIM_NO_SANITIZE inline coalesced_group tiled_partition(
    const coalesced_group &parent, unsigned size, camp_sim::Site site = camp_sim::Site::here()) {
  camp_sim::require_tile_size(size, site);
  if (parent.num_threads() <= size) return parent;
  const unsigned tile = parent.thread_rank() / size;
  unsigned mask = 0, rank = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((parent.mask() >> lane & 1u) != 0 && rank++ / size == tile) mask |= 1u << lane;
  }
  return coalesced_group::of_lanes(mask, tile, (parent.num_threads() + size - 1) / size);
}
CAMP_SIM_NO_SANITIZE inline thread_group tiled_partition(
    const thread_group &parent, unsigned size, camp_sim::Site site = camp_sim::Site::here()) {
  camp_sim::require_tile_size(size, site);
  if (!parent.is_block()) return tiled_partition(parent.lanes_, size, site);
  const unsigned threads = thread_block::num_threads(), first = camp_sim::lane() / size * size;
  const unsigned rank = thread_block::thread_rank() / size * size;
  const unsigned count = threads - rank < size ? threads - rank : size;
  const unsigned mask = ~0u >> (32 - count) << first;
  return coalesced_group::of_lanes(mask, rank / size, (threads + size - 1) / size);
}
CAMP_SIM_NO_SANITIZE inline thread_group tiled_partition(
    const thread_block &parent, unsigned size, camp_sim::Site site = camp_sim::Site::here()) {
  return tiled_partition(thread_group(parent), size, site);
}

// The threads of a tile or a coalesced group for which the predicate is the same.
template <typename Group>
CAMP_SIM_NO_SANITIZE coalesced_group
binary_partition(const Group &group, bool predicate, camp_sim::Site site = camp_sim::Site::here()) {
  const unsigned chosen = __ballot_sync(group.mask(), predicate ? 1 : 0, site);
  if (chosen == 0 || chosen == group.mask()) return coalesced_group::of_lanes(group.mask());
  return coalesced_group::of_lanes(predicate ? chosen : group.mask() & ~chosen, predicate ? 1 : 0,
                                   2);
}

// The threads that pass the same label; parts are ranked by their first lane.
template <typename Group, typename Label>
CAMP_SIM_NO_SANITIZE coalesced_group
labeled_partition(const Group &group, Label label, camp_sim::Site site = camp_sim::Site::here()) {
  static_assert(std::is_integral_v<Label> || std::is_pointer_v<Label>,
                "a label is an integer or a pointer");
  if constexpr (std::is_same_v<Label, bool>) {
    return binary_partition(group, label, site);
  } else if constexpr (std::is_pointer_v<Label>) {
    return labeled_partition(group, reinterpret_cast<uintptr_t>(label), site);
  } else {
    const unsigned same = __match_any_sync(group.mask(), label, site);
    const bool first = static_cast<unsigned>(__ffs(static_cast<int>(same))) == camp_sim::lane() + 1;
    const unsigned leaders = __ballot_sync(group.mask(), first ? 1 : 0, site);
    const unsigned before = leaders & ((same & -same) - 1u);
    return coalesced_group::of_lanes(same, static_cast<unsigned>(__popc(before)),
                                     static_cast<unsigned>(__popc(leaders)));
  }
}

}  // namespace cooperative_groups
