// groups_block.h: the thread block as a cooperative group.
#pragma once

#include "camp_sim/launch.h"
#include "camp_sim/warp.h"

namespace camp_sim {

CAMP_SIM_NO_SANITIZE inline unsigned block_threads() {
  return blockDim.x * blockDim.y * blockDim.z;
}
// This thread's place in its block, x fastest; warps are cut from it.
CAMP_SIM_NO_SANITIZE inline unsigned thread_rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
CAMP_SIM_NO_SANITIZE inline unsigned lane() {
  return thread_rank_in_block() % 32;
}

}  // namespace camp_sim

namespace cooperative_groups {

class thread_block {
 public:
  CAMP_SIM_NO_SANITIZE static void sync(camp_sim::Site site = camp_sim::Site::here()) {
    __syncthreads(site);
  }
  void barrier_arrive() const
      __attribute__((error("needs a GPU: barriers that arrive and wait apart")));
  CAMP_SIM_NO_SANITIZE static unsigned thread_rank() { return camp_sim::thread_rank_in_block(); }
  CAMP_SIM_NO_SANITIZE static unsigned num_threads() { return camp_sim::block_threads(); }
  CAMP_SIM_NO_SANITIZE static unsigned size() { return camp_sim::block_threads(); }
  CAMP_SIM_NO_SANITIZE static dim3 group_index() { return dim3(blockIdx); }
  CAMP_SIM_NO_SANITIZE static dim3 thread_index() { return dim3(threadIdx); }
  CAMP_SIM_NO_SANITIZE static dim3 group_dim() { return blockDim; }
  CAMP_SIM_NO_SANITIZE static dim3 dim_threads() { return blockDim; }

 private:
  thread_block() = default;
  friend thread_block this_thread_block();
};

CAMP_SIM_NO_SANITIZE inline thread_block this_thread_block() {
  return thread_block();
}

}  // namespace cooperative_groups
