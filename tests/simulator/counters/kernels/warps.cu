// warps.cu: what a warp does after shuffles and group operations, where its lanes may have parted.
#include <cooperative_groups.h>

#include "rows.cuh"

namespace cg = cooperative_groups;

__device__ __forceinline__ int thread_of_grid() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// Groups of kWidth lanes add up, by shuffles of the whole warp; every lane stores.
template <int kWidth>
__global__ void whole_warp_shuffles(float *y, const float *x) {
  const int i = thread_of_grid();
  float value = x[i];
#pragma unroll
  for (int offset = kWidth / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  y[i] = value;
}

// The same with tiles, whose masks name their own lanes only.
template <int kWidth>
__global__ void tile_shuffles(float *y, const float *x) {
  const int i = thread_of_grid();
  const auto tile = cg::tiled_partition<kWidth>(cg::this_thread_block());
  float value = x[i];
#pragma unroll
  for (int offset = kWidth / 2; offset > 0; offset /= 2) {
    value += tile.shfl_xor(value, offset);
  }
  y[i] = value;
}

// Tiles synchronise, then all lanes store.
__global__ void tile_sync(float *y, const float *x) {
  const int i = thread_of_grid();
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  float value = x[i];
  tile.sync();
  y[i] = value;
  tile.sync();
  y[i] = value + 1.0f;
}

// A row a tile of 8 lanes, rows of different lengths: tiles go round differently often.
__global__ void uneven_tiles(float *y, const float *x, const int *length) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int row = thread_of_grid() / 8;
  float sum = 0.0f;
#pragma unroll 1
  for (int c = static_cast<int>(tile.thread_rank()); c < length[row]; c += 8) {
    sum += x[row * 64 + c];
  }
#pragma unroll
  for (int offset = 4; offset > 0; offset /= 2) {
    sum += tile.shfl_down(sum, offset);
  }
  if (tile.thread_rank() == 0) y[row] = sum;
}

// The first half warp shuffles alone, then all store.
__global__ void half_warp_shuffles(float *y, const float *x) {
  const int i = thread_of_grid();
  float value = x[i];
  if (threadIdx.x % 32 < 16) {
    value += __shfl_xor_sync(0x0000ffffu, value, 8);
    value += __shfl_xor_sync(0x0000ffffu, value, 4);
  }
  y[i] = value;
}

// One sum a block, by warps and shared memory; the last store is one lane's.
__global__ void block_sum(float *y, const float *x) {
  __shared__ float sums[32];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  float value = x[thread_of_grid()];
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  if (lane == 0) sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < static_cast<int>(blockDim.x) / 32 ? sums[lane] : 0.0f;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
      value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    if (lane == 0) y[blockIdx.x] = value;
  }
}

// A ballot numbers the positive elements of a warp; one lane counts them, and they close ranks.
__global__ void compact(float *y, int *count, const float *x) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = thread_of_grid() / 32;
  const float value = x[thread_of_grid()];
  const unsigned positive = __ballot_sync(0xffffffffu, value > 0.0f);
  if (lane == 0) atomicAdd(count, __popc(positive));
  if (value > 0.0f) y[warp * 32 + __popc(positive & ((1u << lane) - 1))] = value;
}

// Lanes leave the loop one after the other, with the warp synchronised in every round.
__global__ void synchronised_rounds(float *y, const float *x) {
  const int i = thread_of_grid();
#pragma unroll 1
  for (int round = 0; round < 8; ++round) {
    if ((i + round) % 4 == 0) {
      y[i] = x[i] + static_cast<float>(round);
    }
    __syncwarp();
  }
}

int main() {
  constexpr int n = 1024;
  float *x = device_table<float>(n * 64, [](size_t i) {
    return static_cast<int>(mixed(static_cast<unsigned>(i)) % 64) - 31.5f;
  });
  float *y = device_memory<float>(n);
  int *count = device_memory<int>(1);
  int *length = device_table<int>(
      n, [](size_t i) { return static_cast<int>(mixed(static_cast<unsigned>(i)) % 65); });
  ROW(whole_warp_shuffles_32, whole_warp_shuffles<32><<<4, 256>>>(y, x));
  ROW(whole_warp_shuffles_8, whole_warp_shuffles<8><<<4, 256>>>(y, x));
  ROW(tile_shuffles_32, tile_shuffles<32><<<4, 256>>>(y, x));
  ROW(tile_shuffles_16, tile_shuffles<16><<<4, 256>>>(y, x));
  ROW(tile_shuffles_8, tile_shuffles<8><<<4, 256>>>(y, x));
  ROW(tile_sync, tile_sync<<<4, 256>>>(y, x));
  ROW(uneven_tiles, uneven_tiles<<<4, 256>>>(y, x, length));
  ROW(half_warp_shuffles, half_warp_shuffles<<<4, 256>>>(y, x));
  ROW(block_sum, block_sum<<<4, 256>>>(y, x));
  ROW(compact, compact<<<4, 256>>>(y, count, x));
  ROW(synchronised_rounds, synchronised_rounds<<<4, 256>>>(y, x));
  return 0;
}
