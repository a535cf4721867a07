// groups.cu: cooperative groups: blocks, tiles of every size, coalesced groups and parts of them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "features.cuh"

namespace cg = cooperative_groups;

constexpr unsigned threads = 64;

struct Wide {
  int values[6];
};
__device__ int thread() {
  return static_cast<int>(cg::this_thread_block().thread_rank());
}

// What a thread does in its groups: me is its rank in the block, value its own number, and up to
// `shown` results go to mine.
constexpr int shown = 12;
#define GROUP(name)                                                         \
  static __device__ void name([[maybe_unused]] int *out, int *mine, int me, \
                              [[maybe_unused]] int value)
typedef void (*Body)(int *out, int *mine, int me, int value);
template <Body body>
__global__ void group_kernel(int *out) {
  const int me = thread();
  int *mine = out + (blockIdx.x * threads + static_cast<unsigned>(me)) * shown;
  body(out, mine, me, (me * 37 + 11) % 64);
}
#define INT(x) static_cast<int>(x)

GROUP(block_of_threads) {
  __shared__ int last;
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == threads - 1) last = me + 100;
  block.sync();
  mine[0] = last;
  mine[1] = INT(block.thread_rank());
  mine[2] = INT(block.size() + 1000 * block.num_threads());
  mine[3] = INT(block.group_index().x);
  mine[4] =
      INT(block.thread_index().x + 10 * block.thread_index().y + 100 * block.thread_index().z);
  mine[5] = INT(block.group_dim().x + 10 * block.group_dim().y + 100 * block.group_dim().z);
  mine[6] = INT(block.dim_threads().y);
  cg::sync(block);
  mine[7] = INT(cg::thread_rank(block)) + INT(cg::group_size(block));
}
GROUP(grid_of_blocks) {
  const cg::grid_group grid = cg::this_grid();
  mine[0] = INT(grid.thread_rank());
  mine[1] = INT(grid.size());
  mine[2] = INT(grid.num_threads());
  mine[3] = INT(grid.block_rank());
  mine[4] = INT(grid.num_blocks());
  mine[5] = INT(grid.dim_blocks().x);
  mine[6] = INT(grid.block_index().x);
}

template <unsigned Size>
GROUP(tile) {
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  mine[0] = INT(tile.thread_rank() + 100 * tile.num_threads() + 10000 * tile.size());
  mine[1] = INT(tile.meta_group_rank() * 100 + tile.meta_group_size());
  mine[2] = tile.shfl(value, INT(Size) - 1);
  mine[3] = tile.shfl_up(value, 1);
  mine[4] = tile.shfl_down(value, 1);
  mine[5] = tile.shfl_xor(value, Size / 2);
  mine[6] = INT(tile.ballot(me % 3 == 0));
  mine[7] = (tile.any(me == 5) != 0) + 2 * (tile.all(me != 5) != 0);
  mine[8] = INT(tile.match_any(me / 3));
  int same = 0;
  mine[9] = INT(tile.match_all(me / INT(Size), same)) + same;
  Wide wide;
  for (int i = 0; i < 6; ++i)
    wide.values[i] = value + i;
  wide = tile.shfl(wide, 0);
  mine[10] = wide.values[0] + wide.values[5] * 100;
  tile.sync();
  mine[11] = tile.match_all(me, same) == 0 && same == 0;
}

template <unsigned Size>
GROUP(reduced) {
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  mine[0] = cg::reduce(tile, value, cg::plus<int>());
  mine[1] = cg::reduce(tile, value - 30, cg::less<int>());
  mine[2] = cg::reduce(tile, value - 30, cg::greater<int>());
  mine[3] = cg::reduce(tile, value | 32, cg::bit_and<int>());
  mine[4] = cg::reduce(tile, value, cg::bit_or<int>());
  mine[5] = cg::reduce(tile, value, cg::bit_xor<int>());
  mine[6] = cg::reduce(tile, value % 3 + 2, [](int a, int b) { return a > b ? a : b; });
  mine[7] = cg::inclusive_scan(tile, value, cg::plus<int>());
  mine[8] = cg::exclusive_scan(tile, value);
  mine[9] = cg::inclusive_scan(tile, value);
  mine[10] = __float_as_int(cg::reduce(tile, 0.5f * INT(value), cg::plus<float>()));
  mine[11] = cg::inclusive_scan(tile, value, cg::greater<int>());
}
GROUP(scanned) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  mine[0] = cg::exclusive_scan(tile, value, cg::plus<int>());
  mine[1] = cg::inclusive_scan(tile, value, cg::bit_or<int>());
  mine[2] = INT(cg::reduce(tile, static_cast<long long>(value) << 33, cg::plus<long long>()) >> 33);
  mine[3] = INT(cg::reduce(tile, 0.25 * value, cg::plus<double>()) * 4.0);
  mine[4] = INT(cg::reduce(tile, static_cast<unsigned>(value), cg::less<unsigned>()));
}

GROUP(nested_tiles) {
  const auto half_warp = cg::tiled_partition<16>(cg::this_thread_block());
  const auto quad = cg::tiled_partition<4>(half_warp);
  const cg::thread_block_tile<4> any_parent = quad;
  mine[0] = INT(quad.meta_group_rank() * 100 + quad.meta_group_size() * 10);
  mine[1] = INT(any_parent.thread_rank());
  mine[2] = quad.shfl(value, 3);
}

__device__ void show_group(const cg::coalesced_group &group, int *mine, int me, int value) {
  mine[0] = INT(group.thread_rank() + 100 * group.size() + 10000 * group.num_threads());
  mine[1] = INT(group.meta_group_rank() * 100 + group.meta_group_size());
  mine[2] = group.shfl(value, 0);
  mine[3] = group.shfl_up(value, 1);
  mine[4] = group.shfl_down(value, 2);
  mine[5] = INT(group.ballot(me % 2 == 0));
  mine[6] = (group.any(me == 6) != 0) + 2 * (group.all(me != 6) != 0);
  mine[7] = INT(group.match_any(me / 5));
  int same = 0;
  mine[8] = INT(group.match_all(me / 32, same)) + same;
  group.sync();
  mine[9] = cg::reduce(group, value, cg::plus<int>());
  mine[10] = cg::inclusive_scan(group, value, cg::plus<int>());
  mine[11] = cg::exclusive_scan(group, value);
}
GROUP(coalesced_whole) {
  show_group(cg::coalesced_threads(), mine, me, value);
}
GROUP(coalesced_in_a_branch) {
  if (me % 3 == 0) show_group(cg::coalesced_threads(), mine, me, value);
}
GROUP(binary_partition_of_a_tile) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  show_group(cg::binary_partition(tile, me % 4 == 0), mine, me, value);
}
GROUP(binary_partition_of_one_side) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  show_group(cg::binary_partition(tile, me >= 0), mine, me, value);
}
GROUP(binary_partition_of_a_coalesced_group) {
  if (me % 5 != 0) {
    show_group(cg::binary_partition(cg::coalesced_threads(), me % 2 == 0), mine, me, value);
  }
}
GROUP(labeled_partition_of_a_tile) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  show_group(cg::labeled_partition(tile, (me + 2) % 3), mine, me, value);
}
GROUP(labeled_partition_of_a_coalesced_group) {
  if (me % 5 != 0) {
    show_group(cg::labeled_partition(cg::coalesced_threads(), me / 7), mine, me, value);
  }
}
GROUP(labeled_partition_by_a_pointer) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  show_group(cg::labeled_partition(tile, out + me / 4), mine, me, value);
}
GROUP(dynamic_tiles_of_a_block) {
  __shared__ int cells[threads];
  for (unsigned size = 1; size <= 32; size *= 2) {
    const cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), size);
    cells[me] = value;
    tile.sync();
    const int *first = cells + me - INT(tile.thread_rank());
    const int digit = INT(size < 2    ? 0
                          : size < 4  ? 1
                          : size < 8  ? 2
                          : size < 16 ? 3
                          : size < 32 ? 4
                                      : 5);
    mine[digit] = first[tile.size() - 1] * 10000 + INT(tile.thread_rank() * 100 + tile.size());
    tile.sync();
  }
}
GROUP(dynamic_tiles_of_a_coalesced_group) {
  if (me % 3 != 1) show_group(cg::tiled_partition(cg::coalesced_threads(), 4), mine, me, value);
}
GROUP(group_of_any_kind) {
  const cg::thread_group groups[] = {cg::this_thread_block(),
                                     cg::tiled_partition<8>(cg::this_thread_block())};
  for (int i = 0; i < 2; ++i) {
    groups[i].sync();
    mine[2 * i] = INT(groups[i].size());
    mine[2 * i + 1] = INT(groups[i].thread_rank());
  }
}
GROUP(one_of_a_group) {
  __shared__ int calls;
  const cg::thread_block block = cg::this_thread_block();
  if (me == 0) calls = 0;
  block.sync();
  cg::invoke_one(cg::tiled_partition<8>(block), [&] { atomicAdd(&calls, 1); });
  block.sync();
  mine[0] = calls;
  const auto tile = cg::tiled_partition<8>(block);
  mine[1] =
      cg::invoke_one_broadcast(tile, [&](int x) { return x + INT(tile.meta_group_rank()); }, 5);
}

template <Body body>
static void run(const std::string &name, unsigned blocks = 1, dim3 block = threads) {
  Feature feature(name);
  Device<int> out(blocks * threads * shown);
  group_kernel<body><<<blocks, block>>>(out.data());
  feature.show(out);
}
#define RUN(name) run<name>(#name)
template <unsigned Size>
static void tiles() {
  run<tile<Size>>("tile_of_" + std::to_string(Size));
  run<reduced<Size>>("reduced_tile_of_" + std::to_string(Size));
}

int main() {
  run<block_of_threads>("block", 2, dim3(4, 2, 8));
  run<grid_of_blocks>("grid", 3);
  tiles<1>();
  tiles<2>();
  tiles<4>();
  tiles<8>();
  tiles<16>();
  tiles<32>();
  RUN(scanned);
  RUN(nested_tiles);
  RUN(coalesced_whole);
  RUN(coalesced_in_a_branch);
  RUN(binary_partition_of_a_tile);
  RUN(binary_partition_of_one_side);
  RUN(binary_partition_of_a_coalesced_group);
  RUN(labeled_partition_of_a_tile);
  RUN(labeled_partition_of_a_coalesced_group);
  RUN(labeled_partition_by_a_pointer);
  RUN(dynamic_tiles_of_a_block);
  RUN(dynamic_tiles_of_a_coalesced_group);
  RUN(group_of_any_kind);
  RUN(one_of_a_group);
  return finish();
}
