// stream.cuh: the kernel behind every ceiling: reads and writes arrays of equal size, nothing else.
//
// Thread mapping: a block takes tiles of blockDim.x * Vectors vectors of 16 bytes; thread t has
// vectors t, t + blockDim.x, ... of a tile in every array, and loads all before it stores any. One
// tile a block, or tiles gridDim.x apart.
// What is written is the exclusive or of what was read; where nothing is, some value.
// Bytes moved: 16 * vectors * (reads + writes).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "camp_bench.h"

namespace camp_bench {

constexpr int max_arrays = CAMP_BENCH_MAX_ARRAYS;

struct Arrays {
  const uint4 *read[max_arrays];
  uint4 *written[max_arrays];
  int read_count, write_count;
  int64_t vectors;  // of each array
};

// Past the L1 cache, which only costs where nothing is read twice.
__device__ __forceinline__ uint4 load_once(const uint4 *address) {
  uint4 value;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
      : "l"(address));
  return value;
}

__device__ __forceinline__ uint4 mixed(uint4 a, uint4 b) {
  return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w);
}

__device__ unsigned int seen_by_chance;

// Makes the result depend on what was read, or the compiler would leave the loads out. One thread
// in 2^32 stores.
__device__ __forceinline__ void depend_on(uint4 value) {
  if ((value.x ^ value.y ^ value.z ^ value.w) == 0x5eed5eedu) seen_by_chance = value.x;
}

// Reads and Writes are the counts where the compiler knows them; both 0: those of `arrays`.
template <int Reads, int Writes, int Vectors>
__global__ void stream_kernel(Arrays arrays) {
  constexpr bool known = Reads + Writes > 0;
  const int reads = known ? Reads : arrays.read_count;
  const int writes = known ? Writes : arrays.write_count;
  const int64_t tile = int64_t{blockDim.x} * Vectors;
  const uint4 some_value = make_uint4(threadIdx.x, blockIdx.x, 0x3f800000u, 0x40490fdbu);
  uint4 seen = make_uint4(0, 0, 0, 0);
  for (int64_t base = blockIdx.x * tile; base < arrays.vectors; base += gridDim.x * tile) {
    uint4 values[Vectors];
#pragma unroll
    for (int j = 0; j < Vectors; ++j) {
      const int64_t i = base + threadIdx.x + int64_t{j} * blockDim.x;  // [0, vectors + tile)
      values[j] = reads > 0 ? make_uint4(0, 0, 0, 0) : some_value;
#pragma unroll
      for (int r = 0; r < reads; ++r) {
        if (i >= arrays.vectors) continue;
        const uint4 *address = arrays.read[r] + i;
        values[j] = mixed(values[j], known && Writes == 0 ? load_once(address) : __ldg(address));
      }
    }
#pragma unroll
    for (int j = 0; j < Vectors; ++j) {
      const int64_t i = base + threadIdx.x + int64_t{j} * blockDim.x;
      if (writes == 0) seen = mixed(seen, values[j]);
#pragma unroll
      for (int w = 0; w < writes; ++w) {
        if (i < arrays.vectors) arrays.written[w][i] = values[j];
      }
    }
  }
  if (writes == 0) depend_on(seen);
}

}  // namespace camp_bench
