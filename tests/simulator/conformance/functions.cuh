// functions.cuh: functions of numbers, each evaluated in a kernel on many inputs.
//
//   FUNCTION(name, type, expression of `in`)            equal on all inputs; shown as digests
//   APPROXIMATE(name, type, "ulp 2", expression)        near on a few inputs; shown as they are
//
// The program given `values N` as arguments prints the first N results of each function instead:
// how to find the input when a digest differs.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "features.cuh"

constexpr int input_count = 1 << 16;
constexpr int digest_count = 16;
constexpr int sample_count = 48;

// splitmix64: 64 well mixed bits for each index.
__host__ __device__ inline uint64_t mixed(uint64_t index) {
  uint64_t z = (index + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

// The inputs of one evaluation. The 16-bit inputs of index i are i itself, so that all are met.
struct Input {
  uint64_t a, b, c;
  __device__ uint16_t h() const { return static_cast<uint16_t>(a); }
  __device__ __half half_a() const { return __ushort_as_half(static_cast<unsigned short>(a)); }
  __device__ __half half_b() const { return __ushort_as_half(static_cast<unsigned short>(b)); }
  __device__ __half half_c() const { return __ushort_as_half(static_cast<unsigned short>(c)); }
  __device__ __nv_bfloat16 bf_a() const {
    return __ushort_as_bfloat16(static_cast<unsigned short>(a));
  }
  __device__ __nv_bfloat16 bf_b() const {
    return __ushort_as_bfloat16(static_cast<unsigned short>(b));
  }
  __device__ __nv_bfloat16 bf_c() const {
    return __ushort_as_bfloat16(static_cast<unsigned short>(c));
  }
  // Any bits at all: also infinities, NaN and subnormal numbers.
  __device__ float f() const { return __uint_as_float(static_cast<unsigned>(b >> 32)); }
  __device__ float g() const { return __uint_as_float(static_cast<unsigned>(c >> 32)); }
  __device__ double d() const { return __longlong_as_double(static_cast<long long>(c)); }
  __device__ double e() const { return __longlong_as_double(static_cast<long long>(b)); }
  // The same without signalling NaN, which arithmetic never gives and the host's C library passes
  // on where a GPU's does not.
  __device__ float quiet_f() const { return quiet(f()); }
  __device__ float quiet_g() const { return quiet(g()); }
  static __device__ float quiet(float x) {
    return x == x ? x : __uint_as_float(__float_as_uint(x) | 0x400000u);
  }
  // In and around the range of 16-bit floats: any sign, exponents 2^-30 to 2^33.
  __device__ float near() const {
    const unsigned bits = static_cast<unsigned>(c >> 32);
    return __uint_as_float((bits & 0x807fffffu) | (97u + (bits >> 23 & 63u)) << 23);
  }
  __device__ float near_b() const {
    const unsigned bits = static_cast<unsigned>(b);
    return __uint_as_float((bits & 0x807fffffu) | (97u + (bits >> 23 & 63u)) << 23);
  }
  __device__ double near_d() const {
    return __dmul_rn(near(), __dadd_rn(1.0, __dmul_rn(1e-9, static_cast<int>(a >> 40))));
  }
  __device__ double near_e() const {
    return __dmul_rn(near_b(), __dadd_rn(1.0, __dmul_rn(1e-9, static_cast<int>(a >> 36))));
  }
  // Uniform in [low, high), in steps of 2^-16 of the range.
  __device__ double between(double low, double high) const {
    const double unit = static_cast<double>(b >> 48) / 65536.0;
    return __dadd_rn(low, __dmul_rn(__dadd_rn(high, -low), unit));
  }
  __device__ double between_b(double low, double high) const {
    const double unit = static_cast<double>(c >> 48) / 65536.0;
    return __dadd_rn(low, __dmul_rn(__dadd_rn(high, -low), unit));
  }
  // Integers of every magnitude.
  __device__ int i() const { return static_cast<int>(b >> 32) >> (c & 31); }
  __device__ int j() const { return static_cast<int>(c >> 32) >> (b & 31); }
  __device__ int k() const { return static_cast<int>(a >> 32) >> (c >> 5 & 31); }
  __device__ unsigned u() const { return static_cast<unsigned>(i()); }
  __device__ unsigned v() const { return static_cast<unsigned>(j()); }
  __device__ unsigned w() const { return static_cast<unsigned>(k()); }
  __device__ long long l() const { return static_cast<long long>(b) >> (c & 63); }
  __device__ long long m() const { return static_cast<long long>(c) >> (b & 63); }
};

__host__ __device__ inline Input input(int index) {
  Input in;
  in.a = (mixed(3 * static_cast<uint64_t>(index)) << 16) | static_cast<uint64_t>(index & 0xffff);
  in.b = mixed(3 * static_cast<uint64_t>(index) + 1);
  in.c = mixed(3 * static_cast<uint64_t>(index) + 2);
  return in;
}

// A number's bits. IEEE 754 leaves open which NaN an operation gives, and processors differ: all
// NaN of a width are one here.
__device__ inline unsigned bits(float x) {
  return x == x ? __float_as_uint(x) : 0x7fffffffu;
}
__device__ inline unsigned long long bits(double x) {
  return static_cast<unsigned long long>(x == x ? __double_as_longlong(x) : 0x7fffffffffffffffll);
}
__device__ inline unsigned short bits(__half x) {
  return __hisnan(x) ? static_cast<unsigned short>(0x7fff) : __half_as_ushort(x);
}
__device__ inline unsigned short bits(__nv_bfloat16 x) {
  return __hisnan(x) ? static_cast<unsigned short>(0x7fff) : __bfloat16_as_ushort(x);
}
__device__ inline unsigned bits(__half2 x) {
  return static_cast<unsigned>(bits(__high2half(x))) << 16 | bits(__low2half(x));
}
__device__ inline unsigned bits(__nv_bfloat162 x) {
  return static_cast<unsigned>(bits(__high2bfloat16(x))) << 16 | bits(__low2bfloat16(x));
}

// This thread's share of the results.
template <typename F>
__device__ void evaluate_share(void *results, int count) {
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += stride) {
    static_cast<typename F::Result *>(results)[i] = F::call(input(i));
  }
}

// On a GPU each function has a kernel of its own; the simulator calls all through a pointer from
// one, which compiles several times faster.
#if defined(CAMP_SIM)
typedef void (*Evaluate)(void *results, int count);
__global__ void evaluate_kernel(Evaluate share, void *results, int count) {
  share(results, count);
}
inline void launch(Evaluate share, void *results, int count) {
  evaluate_kernel<<<8, 32>>>(share, results, count);
}
#define EVALUATE(F) evaluate_share<F>
#else
typedef void (*Evaluate)(void *results, int count);
template <typename F>
__global__ void evaluate_kernel(void *results, int count) {
  evaluate_share<F>(results, count);
}
template <typename F>
void launch_kernel(void *results, int count) {
  evaluate_kernel<F><<<64, 256>>>(results, count);
}
inline void launch(Evaluate kernel, void *results, int count) {
  kernel(results, count);
}
#define EVALUATE(F) launch_kernel<F>
#endif

struct Function {
  const char *name, *bound;
  size_t bytes;  // of one result
  Evaluate evaluate;
};
inline std::vector<Function> &functions() {
  static std::vector<Function> all;
  return all;
}
inline bool enlist(const Function &function) {
  functions().push_back(function);
  return true;
}

// FNV-1a.
inline uint32_t digest(const unsigned char *bytes, size_t count) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

// `shown`: results to print as they are; 0: digests of all.
inline void evaluate(const Function &function, int shown) {
  const bool approximate = std::strcmp(function.bound, "=") != 0;
  if (approximate && shown == 0) shown = sample_count;
  const auto count = static_cast<size_t>(shown == 0 ? input_count : shown);
  Device<unsigned char> results(count * function.bytes);
  launch(function.evaluate, results.data(), static_cast<int>(count));
  const auto values = results.values();
  Feature feature(function.name, function.bound);
  if (shown != 0) {
    feature.numbers(values.data(), count, function.bytes);
    return;
  }
  const size_t part = values.size() / digest_count;
  for (size_t i = 0; i < digest_count; ++i)
    feature.value(digest(values.data() + i * part, part));
}

#define FUNCTION(label, type, expression) APPROXIMATE(label, type, "=", expression)
#define APPROXIMATE(label, type, bound, expression)                     \
  struct function_##label {                                             \
    using Result = type;                                                \
    static __device__ type call(const Input &in) { return expression; } \
  };                                                                    \
  static const bool enlisted_##label =                                  \
      enlist({#label, bound, sizeof(type), EVALUATE(function_##label)});

inline int evaluate_all(int argument_count, char **arguments) {
  const bool values = argument_count == 3 && std::strcmp(arguments[1], "values") == 0;
  for (const Function &function : functions())
    evaluate(function, values ? std::atoi(arguments[2]) : 0);
  return finish();
}
