// warps.cu: votes, matches, reductions and barriers of warps and blocks.
#include "features.cuh"

constexpr unsigned whole = 0xffffffffu;
constexpr unsigned part = 0x0f0ff00fu;

// Each of these is computed by the lanes of `mask` alone.
#define VOTE(name, type, expression)                         \
  __global__ void name##_kernel(type *out, unsigned mask) {  \
    const int lane = static_cast<int>(threadIdx.x);          \
    if ((mask >> lane & 1u) != 0) out[lane] = expression;    \
  }                                                          \
  static void name() {                                       \
    Feature feature(#name);                                  \
    for (const unsigned mask : {whole, part, 0x80000001u}) { \
      Device<type> out(32);                                  \
      name##_kernel<<<1, 32>>>(out.data(), mask);            \
      feature.show(out);                                     \
    }                                                        \
  }
VOTE(ballot, unsigned, __ballot_sync(mask, lane % 3 == 0))
VOTE(ballot_of_none, unsigned, __ballot_sync(mask, 0))
VOTE(ballot_of_large_values, unsigned, __ballot_sync(mask, lane == 31 ? 0x10000 : 0))
VOTE(any_of_some, int, __any_sync(mask, lane == 12) != 0)
VOTE(any_of_none, int, __any_sync(mask, 0) != 0)
VOTE(all_of_some, int, __all_sync(mask, lane != 12) != 0)
VOTE(all_of_all, int, __all_sync(mask, lane + 1) != 0)
VOTE(match_any_int, unsigned, __match_any_sync(mask, lane % 5 - 2))
VOTE(match_any_unsigned, unsigned, __match_any_sync(mask, static_cast<unsigned>(lane) / 4))
VOTE(match_any_long_long, unsigned,
     __match_any_sync(mask, static_cast<long long>(lane % 2) << 40 | 7))
VOTE(match_any_unsigned_long_long, unsigned,
     __match_any_sync(mask, static_cast<unsigned long long>(lane % 3) << 33))
VOTE(match_any_float, unsigned, __match_any_sync(mask, lane % 2 == 0 ? 0.0f : -0.0f))
VOTE(match_any_double, unsigned, __match_any_sync(mask, 0.25 * (lane / 8)))

__device__ unsigned long long matched(unsigned mask, int value) {
  int all = -1;
  const unsigned lanes = __match_all_sync(mask, value, &all);
  return static_cast<unsigned long long>(lanes) << 1 | (all != 0 ? 1u : 0u);
}
__device__ unsigned long long matched_double(unsigned mask, double value) {
  int all = -1;
  const unsigned lanes = __match_all_sync(mask, value, &all);
  return static_cast<unsigned long long>(lanes) << 1 | (all != 0 ? 1u : 0u);
}
VOTE(match_all_equal, unsigned long long, matched(mask, 42))
VOTE(match_all_unequal, unsigned long long, matched(mask, lane / 16))
VOTE(match_all_double, unsigned long long, matched_double(mask, 2.5))

VOTE(reduce_add_int, int, __reduce_add_sync(mask, lane * 7 - 100))
VOTE(reduce_add_unsigned, unsigned, __reduce_add_sync(mask, 0xf0000000u + threadIdx.x))
VOTE(reduce_min_int, int, __reduce_min_sync(mask, (lane * 37 + 11) % 64 - 20))
VOTE(reduce_max_int, int, __reduce_max_sync(mask, (lane * 37 + 11) % 64 - 70))
VOTE(reduce_min_unsigned, unsigned, __reduce_min_sync(mask, 0x80000000u ^ (threadIdx.x * 99u)))
VOTE(reduce_max_unsigned, unsigned, __reduce_max_sync(mask, 0x80000000u ^ (threadIdx.x * 99u)))
VOTE(reduce_and, unsigned, __reduce_and_sync(mask, ~(1u << (lane % 9))))
VOTE(reduce_or, unsigned, __reduce_or_sync(mask, 1u << (lane % 9)))
VOTE(reduce_xor, unsigned, __reduce_xor_sync(mask, threadIdx.x *threadIdx.x))
VOTE(activemask, unsigned, __activemask())

// Lanes of a warp exchange through shared memory, ordered by __syncwarp alone.
__global__ void syncwarp_kernel(int *out, unsigned mask) {
  __shared__ int cells[32];
  const unsigned lane = threadIdx.x;
  if ((mask >> lane & 1u) == 0) return;
  cells[lane] = static_cast<int>(lane * lane);
  __syncwarp(mask);
  const unsigned neighbour = (lane + 1) % 32;
  out[lane] = (mask >> neighbour & 1u) != 0 ? cells[neighbour] : -1;
}

// The block's reductions at its barrier, for blocks of many sizes.
__global__ void barriers_kernel(int *out) {
  const int thread = static_cast<int>(threadIdx.x);
  const int some = __syncthreads_count(thread % 3 == 0);
  const int every = __syncthreads_and(thread >= 0) != 0;
  const int not_every = __syncthreads_and(thread != 0) != 0;
  const int none = __syncthreads_or(thread < 0) != 0;
  const int one = __syncthreads_or(thread == 0) != 0;
  if (thread == 0) {
    out[0] = some;
    out[1] = every * 1000 + not_every * 100 + none * 10 + one;
  }
}

// A tree in shared memory: a barrier between steps.
__global__ void tree_kernel(int *out) {
  __shared__ int cells[256];
  cells[threadIdx.x] = static_cast<int>(threadIdx.x + blockIdx.x);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) cells[threadIdx.x] += cells[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cells[0];
}

int main() {
  ballot();
  ballot_of_none();
  ballot_of_large_values();
  any_of_some();
  any_of_none();
  all_of_some();
  all_of_all();
  match_any_int();
  match_any_unsigned();
  match_any_long_long();
  match_any_unsigned_long_long();
  match_any_float();
  match_any_double();
  match_all_equal();
  match_all_unequal();
  match_all_double();
  reduce_add_int();
  reduce_add_unsigned();
  reduce_min_int();
  reduce_max_int();
  reduce_min_unsigned();
  reduce_max_unsigned();
  reduce_and();
  reduce_or();
  reduce_xor();
  activemask();
  for (const unsigned mask : {whole, 0x0000ffffu, 0x00f000f0u}) {
    char name[32];
    std::snprintf(name, sizeof name, "syncwarp_%08x", mask);
    Feature feature(name);
    Device<int> out(32);
    syncwarp_kernel<<<1, 32>>>(out.data(), mask);
    feature.show(out);
  }
  Device<int> out(2);
  for (const unsigned size : {1u, 5u, 31u, 32u, 33u, 63u, 100u, 256u, 1000u, 1024u}) {
    Feature feature("barrier_reductions_of_" + std::to_string(size));
    barriers_kernel<<<1, size>>>(out.data());
    feature.show(out);
  }
  {
    Feature feature("tree_in_shared_memory");
    Device<int> sums(3);
    tree_kernel<<<3, 256>>>(sums.data());
    feature.show(sums);
  }
  return finish();
}
