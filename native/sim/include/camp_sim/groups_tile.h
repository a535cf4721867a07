// groups_tile.h: aligned tiles of 1 to 32 threads as cooperative groups.
#pragma once

#include "camp_sim/groups_block.h"
#include "camp_sim/groups_coalesced.h"
#include "camp_sim/groups_shuffle.h"

namespace cooperative_groups {

template <unsigned Size, typename Parent = void>
class thread_block_tile {
  static_assert((Size & (Size - 1)) == 0 && Size != 0, "the size of a tile is a power of two");
  static_assert(Size <= 32, "needs a GPU: tiles of more than 32 threads");

 public:
  CAMP_SIM_NO_SANITIZE void sync(camp_sim::Site site = camp_sim::Site::here()) const {
    __syncwarp(mask(), site);
  }
  CAMP_SIM_NO_SANITIZE static unsigned thread_rank() {
    return camp_sim::thread_rank_in_block() % Size;
  }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  // Which of its parent's tiles this is, and how many there are.
  CAMP_SIM_NO_SANITIZE unsigned meta_group_rank() const { return meta_rank_; }
  CAMP_SIM_NO_SANITIZE unsigned meta_group_size() const { return meta_size_; }

  template <typename T>
  CAMP_SIM_NO_SANITIZE T shfl(T value, int rank,
                              camp_sim::Site site = camp_sim::Site::here()) const {
    return camp_sim::shuffle_value(mask(), value, rank, Size, site);
  }
  template <typename T>
  CAMP_SIM_NO_SANITIZE T shfl_up(T value, unsigned delta,
                                 camp_sim::Site site = camp_sim::Site::here()) const {
    return camp_sim::shuffle_up_value(mask(), value, delta, Size, site);
  }
  template <typename T>
  CAMP_SIM_NO_SANITIZE T shfl_down(T value, unsigned delta,
                                   camp_sim::Site site = camp_sim::Site::here()) const {
    return camp_sim::shuffle_down_value(mask(), value, delta, Size, site);
  }
  template <typename T>
  CAMP_SIM_NO_SANITIZE T shfl_xor(T value, unsigned lane_mask,
                                  camp_sim::Site site = camp_sim::Site::here()) const {
    return camp_sim::shuffle_xor_value(mask(), value, static_cast<int>(lane_mask), Size, site);
  }
  CAMP_SIM_NO_SANITIZE int any(int predicate, camp_sim::Site site = camp_sim::Site::here()) const {
    return __any_sync(mask(), predicate, site);
  }
  CAMP_SIM_NO_SANITIZE int all(int predicate, camp_sim::Site site = camp_sim::Site::here()) const {
    return __all_sync(mask(), predicate, site);
  }
  // Bit i of these masks is that of the thread of rank i.
  CAMP_SIM_NO_SANITIZE unsigned ballot(int predicate,
                                       camp_sim::Site site = camp_sim::Site::here()) const {
    return __ballot_sync(mask(), predicate, site) >> first_lane();
  }
  template <typename T>
  CAMP_SIM_NO_SANITIZE unsigned match_any(T value,
                                          camp_sim::Site site = camp_sim::Site::here()) const {
    return __match_any_sync(mask(), value, site) >> first_lane();
  }
  template <typename T>
  CAMP_SIM_NO_SANITIZE unsigned match_all(T value, int &all_equal,
                                          camp_sim::Site site = camp_sim::Site::here()) const {
    return __match_all_sync(mask(), value, &all_equal, site) >> first_lane();
  }

  // The lanes of this tile in its warp.
  CAMP_SIM_NO_SANITIZE static unsigned mask() {
    return (Size == 32 ? ~0u : (1u << Size % 32) - 1u) << first_lane();
  }

  // A tile that names no parent is made from one of any parent.
  template <typename Other,
            typename = std::enable_if_t<std::is_void_v<Parent> && !std::is_void_v<Other>>>
  CAMP_SIM_NO_SANITIZE thread_block_tile(const thread_block_tile<Size, Other> &other)
      : meta_rank_(other.meta_group_rank()), meta_size_(other.meta_group_size()) {}

 private:
  CAMP_SIM_NO_SANITIZE thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}
  CAMP_SIM_NO_SANITIZE static unsigned first_lane() { return camp_sim::lane() / Size * Size; }

  template <unsigned TileSize, typename Group>
  friend thread_block_tile<TileSize, Group> tiled_partition(const Group &group);

  unsigned meta_rank_, meta_size_;
};

// Of a block, or of a larger tile.
template <unsigned Size, typename Group>
CAMP_SIM_NO_SANITIZE thread_block_tile<Size, Group> tiled_partition(const Group &group) {
  static_assert(!std::is_same_v<Group, coalesced_group>,
                "tiled_partition<Size> takes a block or a tile; of a coalesced group, "
                "tiled_partition(group, size)");
  return thread_block_tile<Size, Group>(group.thread_rank() / Size,
                                        (group.num_threads() + Size - 1) / Size);
}

}  // namespace cooperative_groups
