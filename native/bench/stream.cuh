// stream.cuh: the kernel behind every ceiling: reads and writes arrays of equal size, nothing else.
//
// Thread mapping: block b has the tile of blockDim.x * Vectors vectors of 16 bytes that begins at
// b * blockDim.x * Vectors in every array; thread t has vectors t, t + blockDim.x, ... of it and
// loads all before it stores any. What is written is the exclusive or of what was read; where
// nothing is, some value.
// Bytes moved: 16 * blockDim.x * gridDim.x * Vectors * (reads + writes).
// Precondition: every array is a whole number of tiles. A comparison with the length costs 0.1 us,
// which is 2 % of a call on 4 MiB, and so do parameters that are not used.
#pragma once

#include <cuda_runtime.h>

#include "camp_bench.h"

namespace camp_bench {

// Counts known to the compiler; 0 and 0: `Any`, those of the launch.
template <int Reads, int Writes>
struct Arrays {
  const uint4 *read[Reads > 0 ? Reads : 1];
  uint4 *written[Writes > 0 ? Writes : 1];
  static constexpr int reads() { return Reads; }
  static constexpr int writes() { return Writes; }
};

struct AnyArrays {
  const uint4 *read[CAMP_BENCH_MAX_ARRAYS];
  uint4 *written[CAMP_BENCH_MAX_ARRAYS];
  int read_count, write_count;
  __device__ int reads() const { return read_count; }
  __device__ int writes() const { return write_count; }
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

// 32-bit places: an array has fewer than 2^32 vectors.
template <typename Arrays, int Vectors>
__global__ void stream_kernel(Arrays arrays) {
  const unsigned int first = blockIdx.x * blockDim.x * Vectors + threadIdx.x;
  const int reads = arrays.reads(), writes = arrays.writes();
  uint4 values[Vectors];
#pragma unroll
  for (int j = 0; j < Vectors; ++j) {
    const unsigned int i = first + j * blockDim.x;
    if (reads == 0) values[j] = make_uint4(threadIdx.x, blockIdx.x, 0x3f800000u, 0x40490fdbu);
#pragma unroll
    for (int r = 0; r < reads; ++r) {
      const uint4 *address = arrays.read[r] + i;
      const uint4 value = writes == 0 ? load_once(address) : __ldg(address);
      values[j] = r == 0 ? value : mixed(values[j], value);
    }
  }
  if (writes == 0) {
#pragma unroll
    for (int j = 1; j < Vectors; ++j)
      values[0] = mixed(values[0], values[j]);
    depend_on(values[0]);
  }
#pragma unroll
  for (int j = 0; j < Vectors; ++j) {
#pragma unroll
    for (int w = 0; w < writes; ++w)
      arrays.written[w][first + j * blockDim.x] = values[j];
  }
}

}  // namespace camp_bench
