// reduce.h: cooperative_groups::reduce over tiles and coalesced groups, and its operations.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

#define CAMP_SIM_GROUP_OPERATION(name, expression)                           \
  template <typename T>                                                      \
  struct name {                                                              \
    CAMP_SIM_NO_SANITIZE T operator()(T a, T b) const { return expression; } \
  }
CAMP_SIM_GROUP_OPERATION(plus, a + b);
CAMP_SIM_GROUP_OPERATION(less, b < a ? b : a);
CAMP_SIM_GROUP_OPERATION(greater, a < b ? b : a);
CAMP_SIM_GROUP_OPERATION(bit_and, a &b);
CAMP_SIM_GROUP_OPERATION(bit_or, a | b);
CAMP_SIM_GROUP_OPERATION(bit_xor, a ^ b);
#undef CAMP_SIM_GROUP_OPERATION

// Every thread of the group gets the same result. `op` is taken to be associative and commutative.
template <unsigned Size, typename Parent, typename T, typename Operation>
CAMP_SIM_NO_SANITIZE T reduce(const thread_block_tile<Size, Parent> &tile, T value, Operation op,
                              camp_sim::Site site = camp_sim::Site::here()) {
  for (unsigned distance = Size / 2; distance > 0; distance /= 2) {
    value = op(value, tile.shfl_xor(value, distance, site));
  }
  return value;
}
template <typename T, typename Operation>
CAMP_SIM_NO_SANITIZE T reduce(const coalesced_group &group, T value, Operation op,
                              camp_sim::Site site = camp_sim::Site::here()) {
  T result = group.shfl(value, 0, site);
  for (unsigned rank = 1; rank < group.num_threads(); ++rank) {
    result = op(result, group.shfl(value, rank, site));
  }
  return result;
}

}  // namespace cooperative_groups
