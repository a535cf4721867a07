// conformance.cu: device functions on many inputs, printed as bits. Built by nvcc it asks the GPU,
// built by a host compiler the simulator's headers; the two outputs must be equal.
//
// Output: for each function, its name, the bytes of one result and the count as a line, then the
// results themselves.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int count = 1 << 18;

// splitmix64: 64 well mixed bits for each index.
__host__ __device__ inline uint64_t mixed(uint64_t index) {
  uint64_t z = (index + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

// The inputs of one evaluation. Index i below 65536 puts i itself into the 16-bit inputs.
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
  __device__ float f() const { return __uint_as_float(static_cast<unsigned>(b >> 32)); }
  // In and around the range of 16-bit floats: any sign, exponents 2^-30 to 2^33.
  __device__ float near() const {
    const unsigned bits = static_cast<unsigned>(c >> 32);
    return __uint_as_float((bits & 0x807fffffu) | (97u + (bits >> 23 & 63u)) << 23);
  }
  __device__ double d() const { return __longlong_as_double(static_cast<long long>(c)); }
  __device__ double near_d() const { return near() * (1.0 + 1e-9 * static_cast<int>(a >> 40)); }
  __device__ int i() const { return static_cast<int>(b >> 32) >> (c & 31); }
  __device__ int j() const { return static_cast<int>(c >> 32) >> (b & 31); }
  __device__ unsigned u() const { return static_cast<unsigned>(i()); }
  __device__ unsigned v() const { return static_cast<unsigned>(j()); }
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

#if defined(__CUDACC__)
template <typename F>
__global__ void evaluate_kernel(typename F::Result *results) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index < count) results[index] = F::call(input(index));
}
template <typename F>
void evaluate(typename F::Result *results) {
  void *device;
  if (cudaMalloc(&device, count * sizeof *results) != cudaSuccess) std::exit(2);
  evaluate_kernel<F><<<count / 256, 256>>>(static_cast<typename F::Result *>(device));
  if (cudaMemcpy(results, device, count * sizeof *results, cudaMemcpyDeviceToHost) != cudaSuccess) {
    std::exit(2);
  }
  cudaFree(device);
}
#else
template <typename F>
void evaluate(typename F::Result *results) {
  for (int index = 0; index < count; ++index)
    results[index] = F::call(input(index));
}
#endif

template <typename F>
void print() {
  using Result = typename F::Result;
  auto *results = static_cast<Result *>(std::calloc(count, sizeof(Result)));
  evaluate<F>(results);
  std::printf("%s %zu %d\n", F::name(), sizeof(Result), count);
  std::fwrite(results, sizeof(Result), count, stdout);
  std::free(results);
}

#define FUNCTION(label, type, expression)                               \
  struct function_##label {                                             \
    using Result = type;                                                \
    static const char *name() { return #label; }                        \
    static __device__ type call(const Input &in) { return expression; } \
  };
#include "conformance.inc"
#undef FUNCTION

}  // namespace

int main() {
#define FUNCTION(label, type, expression) print<function_##label>();
#include "conformance.inc"
#undef FUNCTION
  return 0;
}
