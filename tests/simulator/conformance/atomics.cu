// atomics.cu: every atomic function on every type and in every scope: alone, and from many threads.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "features.cuh"

// One call on a cell that holds `before`: what it returns and what it leaves. A kernel makes the
// call in each scope, every time on a cell of its own.
#define ATOMIC(function, type_name, type, before, ...)                           \
  __global__ void function##_##type_name##_kernel(type *cells, type *returned) { \
    returned[0] = function(&cells[0], __VA_ARGS__);                              \
    returned[1] = function##_block(&cells[1], __VA_ARGS__);                      \
    returned[2] = function##_system(&cells[2], __VA_ARGS__);                     \
  }                                                                              \
  static void function##_##type_name() {                                         \
    calls<type>({#function "_" #type_name, #function "_block_" #type_name,       \
                 #function "_system_" #type_name},                               \
                before, function##_##type_name##_kernel);                        \
  }                                                                              \
  static const bool enlisted_##function##_##type_name = enlist(function##_##type_name);
#define ATOMIC_OF_THE_DEVICE(function, type_name, type, before, ...)                  \
  __global__ void function##_##type_name##_kernel(type *cells, type *returned) {      \
    returned[0] = function(&cells[0], __VA_ARGS__);                                   \
  }                                                                                   \
  static void function##_##type_name() {                                              \
    calls<type>({#function "_" #type_name}, before, function##_##type_name##_kernel); \
  }                                                                                   \
  static const bool enlisted_##function##_##type_name = enlist(function##_##type_name);

template <typename T>
static void calls(const std::vector<const char *> &names, T before, void (*kernel)(T *, T *)) {
  Device<T> cells(std::vector<T>(3, before)), returned(3);
  kernel<<<1, 1>>>(cells.data(), returned.data());
  const std::vector<T> left = cells.values(), given = returned.values();
  for (size_t i = 0; i < names.size(); ++i)
    Feature(names[i]).value(given[i]).value(left[i]);
}
static std::vector<void (*)()> &all() {
  static std::vector<void (*)()> functions;
  return functions;
}
static bool enlist(void (*function)()) {
  all().push_back(function);
  return true;
}
using ull = unsigned long long;

ATOMIC(atomicAdd, int, int, 12, -20)
ATOMIC(atomicAdd, unsigned, unsigned, 0xfffffff0u, 0x20u)
ATOMIC(atomicAdd, unsigned_long_long, ull, 0xffffffffull, 1ull << 40 | 1ull)
ATOMIC(atomicAdd, float, float, 0.1f, 0.2f)
ATOMIC(atomicAdd, double, double, 0.1, 0.2)
ATOMIC(atomicSub, int, int, 12, 20)
ATOMIC(atomicSub, unsigned, unsigned, 0u, 1u)
ATOMIC(atomicExch, int, int, 12, -9)
ATOMIC(atomicExch, unsigned, unsigned, 12u, 9u)
ATOMIC(atomicExch, unsigned_long_long, ull, 12ull, 9ull << 50)
ATOMIC(atomicExch, float, float, 12.5f, -0.0f)
ATOMIC(atomicMin, int, int, 12, -4)
ATOMIC(atomicMin, unsigned, unsigned, 12u, 0xffffffffu)
ATOMIC(atomicMin, long_long, long long, 12ll, -1ll << 40)
ATOMIC(atomicMin, unsigned_long_long, ull, 1ull << 40, 1ull << 39)
ATOMIC(atomicMax, int, int, 12, -4)
ATOMIC(atomicMax, unsigned, unsigned, 12u, 0xffffffffu)
ATOMIC(atomicMax, long_long, long long, 12ll, -1ll << 40)
ATOMIC(atomicMax, unsigned_long_long, ull, 1ull << 40, 1ull << 41)
ATOMIC(atomicInc, unsigned, unsigned, 2u, 3u)
ATOMIC(atomicDec, unsigned, unsigned, 2u, 3u)
ATOMIC(atomicAnd, int, int, 0x5f, 0x3c)
ATOMIC(atomicAnd, unsigned, unsigned, 0xf0f0u, 0xff00u)
ATOMIC(atomicAnd, unsigned_long_long, ull, ~0ull, 0xf0full << 36)
ATOMIC(atomicOr, int, int, 0x50, 0x3c)
ATOMIC(atomicOr, unsigned, unsigned, 0xf0f0u, 0xff00u)
ATOMIC(atomicOr, unsigned_long_long, ull, 1ull, 0xf0full << 36)
ATOMIC(atomicXor, int, int, 0x5f, 0x3c)
ATOMIC(atomicXor, unsigned, unsigned, 0xf0f0u, 0xff00u)
ATOMIC(atomicXor, unsigned_long_long, ull, ~0ull, 0xf0full << 36)
ATOMIC(atomicCAS, int, int, 12, 12, 50)
ATOMIC(atomicCAS, unsigned, unsigned, 12u, 13u, 50u)
ATOMIC(atomicCAS, unsigned_long_long, ull, 1ull << 63, 1ull << 63, 50ull)
ATOMIC_OF_THE_DEVICE(atomicCAS, unsigned_short, unsigned short, static_cast<unsigned short>(12),
                     static_cast<unsigned short>(12), static_cast<unsigned short>(50))
ATOMIC_OF_THE_DEVICE(atomicAdd, half, __half, __float2half(0.1f), __float2half(0.2f))
ATOMIC_OF_THE_DEVICE(atomicAdd, half2, __half2, __floats2half2_rn(0.1f, 1.0f),
                     __floats2half2_rn(0.2f, 3.0f))
ATOMIC_OF_THE_DEVICE(atomicAdd, bfloat16, __nv_bfloat16, __float2bfloat16(0.1f),
                     __float2bfloat16(0.2f))
ATOMIC_OF_THE_DEVICE(atomicAdd, bfloat162, __nv_bfloat162, __floats2bfloat162_rn(0.1f, 1.0f),
                     __floats2bfloat162_rn(0.2f, 3.0f))
ATOMIC_OF_THE_DEVICE(atomicAdd, float2, float2, make_float2(0.1f, 1.0f), make_float2(0.2f, 3.0f))
ATOMIC_OF_THE_DEVICE(atomicAdd, float4, float4, make_float4(0.1f, 1.0f, 2.0f, 3.0f),
                     make_float4(0.2f, 3.0f, 4.0f, 5.0f))

// Limits of the counters that wrap.
__global__ void wrap_kernel(unsigned *cells, unsigned *returned) {
  returned[0] = atomicInc(&cells[0], 3);  // 3 -> 0
  returned[1] = atomicInc(&cells[1], 3);  // 9 is above 3 -> 0
  returned[2] = atomicDec(&cells[2], 9);  // 0 -> 9
  returned[3] = atomicDec(&cells[3], 9);  // 20 is above 9 -> 9
}
static void wrapping() {
  Feature feature("atomicInc_and_atomicDec_at_their_limits");
  Device<unsigned> cells(std::vector<unsigned>{3, 9, 0, 20}), returned(4);
  wrap_kernel<<<1, 1>>>(cells.data(), returned.data());
  feature.show(returned).show(cells);
}

// Counts that are exact in every type: 256 in global, 64 in each block's shared memory.
template <typename T>
__global__ void count_kernel(T *total, T *in_shared) {
  __shared__ T block_total;
  if (threadIdx.x == 0) block_total = T(0.0f);
  __syncthreads();
  atomicAdd(&block_total, T(1.0f));
  atomicAdd(total, T(1.0f));
  __syncthreads();
  if (threadIdx.x == 0) in_shared[blockIdx.x] = block_total;
}
template <typename T>
static void counted(const char *name) {
  Feature feature(std::string("counted_by_many_") + name);
  Device<T> total(1), in_shared(4);
  count_kernel<T><<<4, 64>>>(total.data(), in_shared.data());
  feature.show(total).show(in_shared);
}
__global__ void pairs_kernel(__half2 *halves, __nv_bfloat162 *bfloats, float2 *two, float4 *four) {
  atomicAdd(halves, __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(bfloats, __floats2bfloat162_rn(1.0f, 2.0f));
  atomicAdd(two, make_float2(1.0f, 2.0f));
  atomicAdd(four, make_float4(1.0f, 2.0f, 3.0f, 4.0f));
}
static void pairs() {
  Feature feature("counted_by_many_in_vectors");
  Device<__half2> halves(1);
  Device<__nv_bfloat162> bfloats(1);
  Device<float2> two(1);
  Device<float4> four(1);
  pairs_kernel<<<2, 32>>>(halves.data(), bfloats.data(), two.data(), four.data());
  feature.show(halves).show(bfloats).show(two).show(four);
}

// What the order of threads cannot change: the extremes and the union of all values.
__global__ void extremes_kernel(int *least, unsigned *most, ull *all) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMin(least, static_cast<int>((thread * 37u + 11u) % 1000u) - 500);
  atomicMax(most, (thread * 91u + 5u) % 1001u);
  atomicOr(all, 1ull << (thread * 7u % 61u));
}
static void extremes() {
  Feature feature("extremes_of_many");
  Device<int> least(1);
  Device<unsigned> most(1);
  Device<ull> all_bits(1);
  extremes_kernel<<<5, 96>>>(least.data(), most.data(), all_bits.data());
  feature.show(least).show(most).show(all_bits);
}

// A maximum of floats built from atomicCAS, as kernels write it: a plain read gives the first
// guess.
__device__ void atomic_max(float *address, float value) {
  unsigned *bits = reinterpret_cast<unsigned *>(address);
  unsigned seen = *bits, before;
  do {
    before = seen;
    seen = atomicCAS(bits, before, __float_as_uint(fmaxf(value, __uint_as_float(before))));
  } while (seen != before);
}
__global__ void cas_loop_kernel(float *most, const float *values) {
  atomic_max(most, values[threadIdx.x]);
}
static void cas_loop() {
  Feature feature("float_maximum_by_atomicCAS");
  std::vector<float> values(64);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 29 % 64) * 0.37f;
  Device<float> most(1), given(values);
  cas_loop_kernel<<<1, 64>>>(most.data(), given.data());
  feature.show(most);
}

// The last block to finish adds up what the others left: a fence orders each block's result before
// its ticket.
__device__ unsigned tickets = 0;
__global__ void last_block_kernel(const int *values, int *partial, int *total) {
  __shared__ int sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, values[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    int result = 0;
    for (unsigned i = 0; i < gridDim.x; ++i)
      result += partial[i];
    *total = result;
  }
}
static void last_block() {
  Feature feature("last_block_after_threadfence");
  std::vector<int> values(6 * 50);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int>(i * i % 101);
  Device<int> given(values), partial(6), total(1);
  for (int run = 0; run < 2; ++run) {
    last_block_kernel<<<6, 50>>>(given.data(), partial.data(), total.data());
    feature.show(partial).show(total);
  }
}

// Each fence between a write and a flag, read after the flag by the same block.
__global__ void fences_kernel(int *out) {
  __shared__ int data, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = 77;
    __threadfence_block();
    atomicExch(&flag, 1);
  }
  __syncthreads();
  __threadfence_system();
  out[threadIdx.x] = data + atomicAdd(&flag, 0);
}
static void fences() {
  Feature feature("fences_of_block_and_system");
  Device<int> out(40);
  fences_kernel<<<1, 40>>>(out.data());
  feature.show(out);
}

int main() {
  for (void (*const function)() : all())
    function();
  wrapping();
  counted<int>("int");
  counted<unsigned>("unsigned");
  counted<ull>("unsigned_long_long");
  counted<float>("float");
  counted<double>("double");
  counted<__half>("half");
  counted<__nv_bfloat16>("bfloat16");
  pairs();
  extremes();
  cas_loop();
  last_block();
  fences();
  return finish();
}
