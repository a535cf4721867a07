// hazards.cu: what hardware mostly hides: order that is too narrow, masks that disagree, values of
// lanes that are not there. Each stands beside its corrected twin.
//
// `program NAME bad|good` runs one; the line that breaks the rule ends in `// fault: NAME`.
#include <cooperative_groups.h>

#include "faults.cuh"

namespace cg = cooperative_groups;

__global__ void small_tile(int *x, bool good) {
  __shared__ int slot[64];
  const int i = threadIdx.x;
  const auto narrow = cg::tiled_partition<8>(cg::this_thread_block());
  const auto wide = cg::tiled_partition<16>(cg::this_thread_block());
  slot[i] = i;
  if (good) {
    wide.sync();
  } else {
    narrow.sync();
  }
  x[i] = slot[i ^ 15];  // fault: small_tile
}

__global__ void tile_for_block(int *x, bool good) {
  __shared__ int slot[64];
  const int i = threadIdx.x;
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  slot[i] = i;
  if (good) {
    block.sync();
  } else {
    tile.sync();
  }
  x[i] = slot[63 - i];  // fault: tile_for_block
}

__global__ void coalesced(int *x, bool good) {
  __shared__ int slot[32];
  const int i = threadIdx.x;
  if (i % 2 == 0) {
    const auto group = cg::coalesced_threads();
    slot[i] = i;
    if (good) group.sync();
    x[i] = slot[30 - i];  // fault: coalesced
  }
}

// Lane 0 meets lane 1, and lane 1 meets lane 2: order passes on, but not to lane 3.
__global__ void chain_of_masks(int *x, bool good) {
  __shared__ int slot;
  const int i = threadIdx.x;
  if (i == 0) slot = 7;
  if (i < 2) __syncwarp(0x3u);
  if (i == 1 || i == 2) __syncwarp(0x6u);
  if (i == (good ? 2 : 3)) x[0] = slot;  // fault: chain_of_masks
}

__global__ void shifted_in_place(int *x, bool good) {
  const int i = threadIdx.x;
  const int next = i < 31 ? x[i + 1] : 0;
  if (good) __syncwarp();
  x[i] = next;  // fault: shifted_in_place
}

// A fence orders the writes of a thread; it waits for nobody.
__global__ void fence_waits_not(int *x, int *partial, bool good) {
  partial[blockIdx.x] = 1;
  __threadfence();
  x[blockIdx.x] =
      partial[good ? blockIdx.x : (blockIdx.x + 1) % gridDim.x];  // fault: fence_waits_not
}

// A fence for the block is none for the others; and it takes nothing from the one before it.
__global__ void fence_for_block(int *x, int *partial, unsigned *arrived, bool good) {
  partial[blockIdx.x] = 1;
  if (good) __threadfence();
  __threadfence_block();
  if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
      sum += partial[b];  // fault: fence_for_block
    *x = sum;
  }
}

__global__ void masks_disagree(int *x, bool good) {
  const int i = threadIdx.x;
  if (i < 16) {
    __syncwarp(0xffffffffu);  // fault: masks_disagree
  } else {
    __syncwarp(good ? 0xffffffffu : 0xffff0000u);
  }
  x[i] = 1;
}

__global__ void operations_disagree(int *x, bool good) {
  const int i = threadIdx.x;
  int value = i;
  if (good || i < 16) {
    value = __shfl_down_sync(0xffffffffu, value, 1);  // fault: operations_disagree
  } else {
    value = __shfl_up_sync(0xffffffffu, value, 1);
  }
  x[i] = value;
}

// The lanes that are not there had no value: what comes back must not be taken for one.
__global__ void absent_value(float *y, bool good) {
  const int i = threadIdx.x;
  float value = 0.0f;
  if (i < 25) value = __shfl_down_sync(0x1ffffffu, 1.0f, good ? 0 : 16);  // fault: absent_value
  y[i] = value;
}

__global__ void misaligned_in_shared(float *y, bool good) {
  __shared__ __align__(16) float slot[36];
  const int i = threadIdx.x;
  slot[i] = 1.0f;
  if (i < 4) slot[32 + i] = 1.0f;
  __syncthreads();
  const float *from = slot + (good ? 0 : 1);
  y[i] = reinterpret_cast<const float4 *>(from)->x;  // fault: misaligned_in_shared
}

// Atomic for the threads of its block only: between blocks it is like a plain update.
__global__ void block_scope(int *x, bool good) {
  if (good) {
    atomicAdd(x, 1);
  } else {
    atomicAdd_block(x, 1);  // fault: block_scope
  }
}

// Threads of one block may count so, in each block on its own.
__global__ void block_scope_within(int *x, bool) {
  atomicAdd_block(&x[blockIdx.x], 1);
}

__device__ int scratch[64];

__global__ void raced_variable(int *x, bool good) {
  const int i = threadIdx.x;
  scratch[i] = i;
  if (good) __syncthreads();
  x[i] = scratch[63 - i];  // raced_variable
}

// The second launch goes on from where the first has stopped.
__device__ int total;

__global__ void kept_total(int *x, int *own, bool good) {
  int *const sum = good ? own : &total;
  x[threadIdx.x] = atomicAdd(sum, 1);  // fault: kept_total
}

// The host compiler copies the barrier of an unrolled loop and of an inlined function: one line,
// one barrier.
__device__ int total_of(int *slot, int value, int count) {
  slot[threadIdx.x] = value;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += slot[i];
  __syncthreads();
  return sum;
}

__global__ void copied_barriers(int *x, int n, bool) {
  __shared__ int slot[64];
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 6; ++i)
    sum += total_of(slot, n + i, 64);
  x[threadIdx.x] = n > 2 ? total_of(slot, sum, 32) : total_of(slot, sum, 64);
}

int main(int argc, char **argv) {
  const Selection run(argc, argv);
  Buffer<int> x(64);
  Buffer<int> partial(64);
  Buffer<float> y(64);
  const bool good = run.good;
  if (run.is("small_tile")) small_tile<<<1, 64>>>(x.device, good);
  if (run.is("tile_for_block")) tile_for_block<<<1, 64>>>(x.device, good);
  if (run.is("coalesced")) coalesced<<<1, 32>>>(x.device, good);
  if (run.is("chain_of_masks")) chain_of_masks<<<1, 32>>>(x.device, good);
  if (run.is("shifted_in_place")) shifted_in_place<<<1, 32>>>(x.device, good);
  if (run.is("fence_waits_not")) fence_waits_not<<<8, 1>>>(x.device, partial.device, good);
  if (run.is("fence_for_block")) {
    Buffer<unsigned> arrived(1);
    fence_for_block<<<8, 1>>>(x.device, partial.device, arrived.device, good);
  }
  if (run.is("masks_disagree")) masks_disagree<<<1, 32>>>(x.device, good);
  if (run.is("operations_disagree")) operations_disagree<<<1, 32>>>(x.device, good);
  if (run.is("absent_value")) {
    absent_value<<<1, 32>>>(y.device, good);
    y.download();
    for (int lane = 0; lane < 25; ++lane) {
      const bool absent = !good && lane >= 9 && lane < 16;  // lanes 25 to 31 are their sources
      CHECK(absent ? y.host[lane] != y.host[lane] : y.host[lane] == 1.0f);
    }
  }
  if (run.is("misaligned_in_shared")) misaligned_in_shared<<<1, 32>>>(y.device, good);
  if (run.is("block_scope")) block_scope<<<8, 1>>>(x.device, good);
  if (run.is("block_scope_within")) block_scope_within<<<8, 32>>>(x.device, good);
  if (run.is("raced_variable")) raced_variable<<<1, 64>>>(x.device, good);
  if (run.is("kept_total")) {
    for (int launch = 0; launch < 2; ++launch)
      kept_total<<<1, 32>>>(x.device, partial.device, good);
  }
  if (run.is("copied_barriers")) copied_barriers<<<1, 64>>>(x.device, 3, good);
  return run.finish();
}
