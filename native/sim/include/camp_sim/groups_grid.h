// groups_grid.h: the grid as a cooperative group. Ranks and sizes are there; its barrier needs a
// GPU, since blocks run one after another here.
#pragma once

#include "camp_sim/groups_block.h"

namespace cooperative_groups {

class grid_group {
 public:
  void sync() const __attribute__((error("needs a GPU: a barrier of the whole grid")));
  CAMP_SIM_NO_SANITIZE static bool is_valid() { return false; }
  CAMP_SIM_NO_SANITIZE static unsigned long long num_threads() {
    return num_blocks() * camp_sim::block_threads();
  }
  CAMP_SIM_NO_SANITIZE static unsigned long long size() { return num_threads(); }
  CAMP_SIM_NO_SANITIZE static unsigned long long thread_rank() {
    return block_rank() * camp_sim::block_threads() + camp_sim::thread_rank_in_block();
  }
  CAMP_SIM_NO_SANITIZE static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  CAMP_SIM_NO_SANITIZE static unsigned long long block_rank() {
    const unsigned long long row =
        static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y;
    return row * gridDim.x + blockIdx.x;
  }
  CAMP_SIM_NO_SANITIZE static dim3 dim_blocks() { return gridDim; }
  CAMP_SIM_NO_SANITIZE static dim3 group_dim() { return gridDim; }
  CAMP_SIM_NO_SANITIZE static dim3 block_index() { return dim3(blockIdx); }
};

CAMP_SIM_NO_SANITIZE inline grid_group this_grid() {
  return grid_group();
}

class cluster_group {
 public:
  void sync() const __attribute__((error("needs a GPU: thread block clusters")));
};
cluster_group this_cluster() __attribute__((error("needs a GPU: thread block clusters")));

}  // namespace cooperative_groups
