// scan.h: cooperative_groups::inclusive_scan and exclusive_scan over tiles and coalesced groups.
#pragma once

#include "cooperative_groups.h"
#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

// op over the values of this thread and those of lower rank.
template <typename Group, typename T, typename Operation>
CAMP_SIM_NO_SANITIZE T inclusive_scan(const Group &group, T value, Operation op,
                                      camp_sim::Site site = camp_sim::Site::here()) {
  for (unsigned distance = 1; distance < group.num_threads(); distance *= 2) {
    const T lower = group.shfl_up(value, distance, site);
    if (group.thread_rank() >= distance) value = op(lower, value);
  }
  return value;
}
template <typename Group, typename T>
CAMP_SIM_NO_SANITIZE T inclusive_scan(const Group &group, T value,
                                      camp_sim::Site site = camp_sim::Site::here()) {
  return inclusive_scan(group, value, plus<T>(), site);
}

// Without this thread's own value; the first thread gets T().
template <typename Group, typename T, typename Operation>
CAMP_SIM_NO_SANITIZE T exclusive_scan(const Group &group, T value, Operation op,
                                      camp_sim::Site site = camp_sim::Site::here()) {
  const T lower = group.shfl_up(inclusive_scan(group, value, op, site), 1, site);
  return group.thread_rank() == 0 ? T() : lower;
}
template <typename Group, typename T>
CAMP_SIM_NO_SANITIZE T exclusive_scan(const Group &group, T value,
                                      camp_sim::Site site = camp_sim::Site::here()) {
  return exclusive_scan(group, value, plus<T>(), site);
}

}  // namespace cooperative_groups
