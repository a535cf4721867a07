// groups.cu: cooperative groups against plain loops over ranks.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "program.cuh"

namespace cg = cooperative_groups;

constexpr int threads = 64;  // 4 x 2 x 8

struct Wide {
  int values[6];
};

__device__ int thread() {
  return static_cast<int>(cg::this_thread_block().thread_rank());
}

__global__ void block_kernel(int *out) {
  __shared__ int last;
  const cg::thread_block block = cg::this_thread_block();
  const int rank = static_cast<int>(block.thread_rank());
  if (rank == threads - 1) last = static_cast<int>(block.group_index().x) + 100;
  block.sync();
  out[blockIdx.x * threads + rank] = last + static_cast<int>(block.size());
  cg::sync(block);
  const dim3 dims = block.dim_threads();
  const bool consistent = block.thread_index().z == threadIdx.z && dims.y == blockDim.y &&
                          block.num_threads() == threads &&
                          cg::thread_rank(block) == unsigned(rank);
  if (!consistent) out[blockIdx.x * threads + rank] = -1;
  const cg::grid_group grid = cg::this_grid();
  if (grid.thread_rank() != blockIdx.x * threads + unsigned(rank)) out[rank] = -2;
  if (grid.size() != gridDim.x * threads) out[rank] = -3;
}

constexpr int tile_results = 14;

template <int Size>
__global__ void tile_kernel(int *out) {
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int me = thread(), value = me * 7 + 1;
  const int rank = static_cast<int>(tile.thread_rank());
  int *mine = out + me * tile_results;
  mine[0] = rank;
  mine[1] = static_cast<int>(tile.meta_group_rank());
  mine[2] = static_cast<int>(tile.meta_group_size());
  mine[3] = tile.shfl(value, Size - 1);
  mine[4] = tile.shfl_up(value, 1);
  mine[5] = tile.shfl_down(value, 1);
  mine[6] = tile.shfl_xor(value, Size / 2);
  mine[7] = static_cast<int>(tile.ballot(rank % 3 == 0));
  mine[8] = tile.any(me == 5);
  mine[9] = tile.all(me != 5);
  mine[10] = static_cast<int>(tile.match_any(rank / 2));
  int same = 0;
  mine[11] = static_cast<int>(tile.match_all(me / Size, same)) + same;
  Wide wide;
  for (int i = 0; i < 6; ++i)
    wide.values[i] = value + i;
  wide = tile.shfl(wide, 0);
  mine[12] = 0;
  for (int i = 0; i < 6; ++i)
    mine[12] += wide.values[i] * (i + 1);
  tile.sync();
  mine[13] = static_cast<int>(tile.num_threads());
}

template <int Size>
static void tiles() {
  Shared<int> out(threads * tile_results);
  tile_kernel<Size><<<1, dim3(4, 2, 8)>>>(out.data);
  wait();
  for (int me = 0; me < threads; ++me) {
    const int *mine = &out[size_t(me) * tile_results];
    const int rank = me % Size, first = me - rank;
    const auto value = [](int t) { return t * 7 + 1; };
    unsigned thirds = 0, pair = 0;
    for (int i = 0; i < Size; ++i) {
      if (i % 3 == 0) thirds |= 1u << i;
      if (i / 2 == rank / 2) pair |= 1u << i;
    }
    CHECK(mine[0] == rank);
    CHECK(mine[1] == me / Size);
    CHECK(mine[2] == threads / Size);
    CHECK(mine[3] == value(first + Size - 1));
    CHECK(mine[4] == value(rank > 0 ? me - 1 : me));
    CHECK(mine[5] == value(rank + 1 < Size ? me + 1 : me));
    CHECK(mine[6] == value(first + (rank ^ Size / 2)));
    CHECK(unsigned(mine[7]) == thirds);
    CHECK((mine[8] != 0) == (first <= 5 && 5 < first + Size));
    CHECK((mine[9] == 0) == (first <= 5 && 5 < first + Size));
    CHECK(unsigned(mine[10]) == pair);
    CHECK(unsigned(mine[11]) == (Size == 32 ? ~0u : (1u << Size % 32) - 1u) + 1u);
    CHECK(mine[12] == 21 * value(first) + 70);
    CHECK(mine[13] == Size);
  }
}

__global__ void nested_kernel(int *out) {
  const auto half_warp = cg::tiled_partition<16>(cg::this_thread_block());
  const auto quad = cg::tiled_partition<4>(half_warp);
  const cg::thread_block_tile<4> any_parent = quad;
  out[thread()] = static_cast<int>(quad.meta_group_rank() * 100 + quad.meta_group_size() * 10 +
                                   any_parent.thread_rank());
}

__global__ void coalesced_kernel(int *out) {
  const int me = thread(), value = me * 7 + 1;
  int *mine = out + me * tile_results;
  if (me % 3 == 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    mine[0] = static_cast<int>(group.thread_rank());
    mine[1] = static_cast<int>(group.size());
    mine[2] = group.shfl(value, 2);
    mine[3] = group.shfl_up(value, 1);
    mine[4] = group.shfl_down(value, 2);
    mine[5] = static_cast<int>(group.ballot(me % 2 == 0));
    mine[6] = group.any(me == 6);
    mine[7] = group.all(me % 3 == 0);
    mine[8] = static_cast<int>(group.match_any(me % 2));
    mine[9] = cg::reduce(group, value, cg::plus<int>());
    mine[10] = cg::inclusive_scan(group, value);
    mine[11] = cg::exclusive_scan(group, value, cg::plus<int>());
    group.sync();
  }
}

static void coalesced() {
  Shared<int> out(32 * tile_results);
  coalesced_kernel<<<1, 32>>>(out.data);
  wait();
  const auto value = [](int member) { return member * 3 * 7 + 1; };
  int sum = 0;
  for (int member = 0; member < 11; ++member)
    sum += value(member);
  int before = 0;
  for (int member = 0; member < 11; ++member) {
    const int *mine = &out[size_t(member) * 3 * tile_results];
    unsigned even = 0;
    for (int i = 0; i < 11; ++i)
      even |= i * 3 % 2 == 0 ? 1u << i : 0u;
    CHECK(mine[0] == member);
    CHECK(mine[1] == 11);
    CHECK(mine[2] == value(2));
    CHECK(mine[3] == value(member > 0 ? member - 1 : member));
    CHECK(mine[4] == value(member + 2 < 11 ? member + 2 : member));
    CHECK(unsigned(mine[5]) == even);
    CHECK(mine[6] != 0 && mine[7] != 0);
    CHECK(unsigned(mine[8]) == (member % 2 == 0 ? even : 0x7ffu & ~even));
    CHECK(mine[9] == sum);
    CHECK(mine[11] == before);
    before += value(member);
    CHECK(mine[10] == before);
  }
}

__global__ void reduce_kernel(int *out, float *real) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int me = thread(), value = (me * 37 + 11) % 64 - 20;
  int *mine = out + me * tile_results;
  mine[0] = cg::reduce(tile, value, cg::plus<int>());
  mine[1] = cg::reduce(tile, value, cg::less<int>());
  mine[2] = cg::reduce(tile, value, cg::greater<int>());
  mine[3] = cg::reduce(tile, value, cg::bit_and<int>());
  mine[4] = cg::reduce(tile, value, cg::bit_or<int>());
  mine[5] = cg::reduce(tile, value, cg::bit_xor<int>());
  mine[6] = cg::reduce(tile, value % 3 + 2, [](int a, int b) { return a * b; });
  mine[7] = cg::inclusive_scan(tile, value, cg::plus<int>());
  mine[8] = cg::exclusive_scan(tile, value);
  mine[9] = static_cast<int>(cg::binary_partition(tile, me % 4 == 0).size());
  real[me] = cg::reduce(tile, 0.5f * static_cast<float>(value), cg::plus<float>());
}

static void reductions() {
  Shared<int> out(threads * tile_results);
  Shared<float> real(threads);
  reduce_kernel<<<1, threads>>>(out.data, real.data);
  wait();
  for (int me = 0; me < threads; ++me) {
    const int *mine = &out[size_t(me) * tile_results];
    const int first = me / 8 * 8;
    int sum = 0, least = 1000, most = -1000, all = -1, some = 0, odd = 0, product = 1, before = 0;
    for (int i = first; i < first + 8; ++i) {
      const int value = (i * 37 + 11) % 64 - 20;
      sum += value;
      if (i < me) before += value;
      least = value < least ? value : least;
      most = value > most ? value : most;
      all &= value;
      some |= value;
      odd ^= value;
      product *= value % 3 + 2;
    }
    CHECK(mine[0] == sum && mine[1] == least && mine[2] == most);
    CHECK(mine[3] == all && mine[4] == some && mine[5] == odd && mine[6] == product);
    CHECK(mine[8] == before && mine[7] == before + (me * 37 + 11) % 64 - 20);
    CHECK(mine[9] == (me % 4 == 0 ? 2 : 6));
    CHECK(real[size_t(me)] == 0.5f * static_cast<float>(sum));
  }
}

int main() {
  Shared<int> out(2 * threads);
  block_kernel<<<2, dim3(4, 2, 8)>>>(out.data);
  wait();
  for (int i = 0; i < 2 * threads; ++i)
    CHECK(out[size_t(i)] == i / threads + 100 + threads);
  nested_kernel<<<1, threads>>>(out.data);
  wait();
  for (int i = 0; i < threads; ++i)
    CHECK(out[size_t(i)] == i % 16 / 4 * 100 + 40 + i % 4);
  tiles<1>();
  tiles<2>();
  tiles<4>();
  tiles<8>();
  tiles<16>();
  tiles<32>();
  coalesced();
  reductions();
  return finish();
}
