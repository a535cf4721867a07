// memory.cu: shared memory of every kind, constants and device variables, hinted loads and stores,
// vectors and structures.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "features.cuh"
#include "included.cuh"

// ---- shared memory ----
__global__ void static_shared_kernel(int *out) {
  __shared__ char odd[3];
  __shared__ double wide[4];
  __shared__ float tile[8][9];
  __shared__ __align__(16) unsigned char bytes[32];
  const unsigned i = threadIdx.x;
  if (i < 3) odd[i] = static_cast<char>(i + 1);
  if (i < 4) wide[i] = 0.5 * i;
  tile[i / 8 % 8][i % 8] = static_cast<float>(i);
  if (i < 32) bytes[i] = static_cast<unsigned char>(255 - i);
  __syncthreads();
  int *mine = out + i * 4;
  mine[0] = odd[i % 3];
  mine[1] = static_cast<int>(wide[i % 4] * 2.0);
  mine[2] = static_cast<int>(tile[i % 8][i / 8 % 8]);  // transposed
  mine[3] = reinterpret_cast<const int *>(bytes)[i % 8];
}
__global__ void aligned_shared_kernel(int *out) {
  __shared__ char before;
  __shared__ float4 vectors[2];
  __shared__ double number;
  __shared__ short words[3];
  before = 1;
  const auto at = [](const void *p) { return reinterpret_cast<size_t>(p); };
  out[0] = at(vectors) % 16 == 0;
  out[1] = at(&number) % 8 == 0;
  out[2] = at(words) % 2 == 0;
  out[3] = before;
}
template <typename T>
__global__ void dynamic_shared_kernel(T *out) {
  extern __shared__ unsigned char raw[];
  T *cells = reinterpret_cast<T *>(raw);
  cells[threadIdx.x] = static_cast<T>(threadIdx.x + 1);
  __syncthreads();
  out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}
// Several names of several types for the same bytes.
__global__ void several_externs_kernel(int *out) {
  extern __shared__ int as_ints[];
  extern __shared__ float as_floats[];
  extern __shared__ float4 as_vectors[];
  if (threadIdx.x < 4)
    as_ints[threadIdx.x] = __float_as_int(1.5f + static_cast<float>(threadIdx.x));
  __syncthreads();
  out[threadIdx.x] = static_cast<int>(as_floats[threadIdx.x % 4] * 2.0f);
  out[32 + threadIdx.x] = static_cast<int>(as_vectors[0].z);
  out[64 + threadIdx.x] = reinterpret_cast<size_t>(as_ints) % 16 == 0 &&
                          static_cast<void *>(as_ints) == static_cast<void *>(as_vectors);
}
// One array cut into parts of different types, the usual way.
__global__ void carved_shared_kernel(int *out, int count) {
  extern __shared__ double doubles[];
  float *floats = reinterpret_cast<float *>(doubles + count);
  short *shorts = reinterpret_cast<short *>(floats + count);
  const int i = static_cast<int>(threadIdx.x);
  doubles[i] = i;
  floats[i] = static_cast<float>(-i);
  shorts[i] = static_cast<short>(i * i);
  __syncthreads();
  const int j = (i + 1) % count;
  out[i] = static_cast<int>(doubles[j]) * 10000 + static_cast<int>(floats[j]) * 100 + shorts[j];
}

static void shared() {
  {
    Feature feature("static_shared_of_several_types");
    Device<int> out(64 * 4);
    static_shared_kernel<<<1, 64>>>(out.data());
    feature.show(out);
  }
  {
    Feature feature("static_shared_alignment");
    Device<int> out(4);
    aligned_shared_kernel<<<1, 1>>>(out.data());
    feature.show(out);
  }
  {
    Feature feature("dynamic_shared_of_chars");
    Device<signed char> out(100);
    dynamic_shared_kernel<<<1, 100, 100>>>(out.data());
    feature.show(out);
  }
  {
    Feature feature("dynamic_shared_of_doubles");
    Device<double> out(50);
    dynamic_shared_kernel<<<1, 50, 50 * sizeof(double)>>>(out.data());
    feature.show(out);
  }
  {
    Feature feature("several_extern_shared_types");
    Device<int> out(96);
    several_externs_kernel<<<1, 32, 64>>>(out.data());
    feature.show(out);
  }
  {
    Feature feature("dynamic_shared_cut_into_parts");
    Device<int> out(24);
    carved_shared_kernel<<<1, 24, 24 * 14>>>(out.data(), 24);
    feature.show(out);
  }
}

// ---- constants and device variables ----
__constant__ int table[5];
__constant__ float factors[2] = {1.5f, -2.0f};
__constant__ Scale scale;
__device__ int counter;
__device__ float matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
__global__ void variables_kernel(int *out) {
  const unsigned i = threadIdx.x;
  out[i] = table[i % 5] + static_cast<int>(factors[i % 2] * 10.0f) +
           static_cast<int>(scale(static_cast<float>(i))) + static_cast<int>(matrix[i % 2][i % 3]);
  atomicAdd(&counter, 1);
}
static void variables() {
  Feature feature("constant_and_device_variables");
  const int values[5] = {3, 1, 4, 1, 5}, later[2] = {92, 65};
  const Scale triple = {3.0f};
  SUCCEED(cudaMemcpyToSymbol(table, values, sizeof values));
  SUCCEED(cudaMemcpyToSymbol(table, later, sizeof later, 2 * sizeof(int)));
  SUCCEED(cudaMemcpyToSymbol(scale, &triple, sizeof triple));
  const int zero = 0;
  SUCCEED(cudaMemcpyToSymbolAsync(counter, &zero, sizeof zero, 0, cudaMemcpyHostToDevice));
  Device<int> out(10);
  for (int run = 0; run < 2; ++run)
    variables_kernel<<<1, 10>>>(out.data());
  feature.show(out);
  int counted = 0, part[2] = {};
  SUCCEED(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  SUCCEED(cudaMemcpyFromSymbol(part, table, sizeof part, sizeof(int)));
  feature.value(counted).show(part, 2);
  void *address = nullptr;
  size_t bytes = 0;
  SUCCEED(cudaGetSymbolAddress(&address, matrix));
  SUCCEED(cudaGetSymbolSize(&bytes, matrix));
  float copied[6] = {};
  SUCCEED(cudaMemcpy(copied, address, sizeof copied, cudaMemcpyDeviceToHost));
  feature.value(bytes).show(copied, 6);
}

// ---- hinted loads and stores ----
template <typename T>
__global__ void hinted_kernel(T *out, const T *in) {
  const unsigned i = threadIdx.x;
  __stcg(&out[i], __ldg(&in[i]));
  __stcs(&out[8 + i], __ldca(&in[i]));
  __stwb(&out[16 + i], __ldcg(&in[i]));
  __stwt(&out[24 + i], __ldcs(&in[i]));
  out[32 + i] = __ldcv(&in[i]);
  out[40 + i] = __ldlu(&in[i]);
}
template <typename T>
static void hinted(const char *name) {
  std::vector<unsigned char> pattern(8 * sizeof(T));
  for (size_t i = 0; i < pattern.size(); ++i)
    pattern[i] = static_cast<unsigned char>(i * 7 % 120);
  std::vector<T> given(8);
  std::memcpy(static_cast<void *>(given.data()), pattern.data(), pattern.size());
  Feature feature(std::string("hinted_access_of_") + name);
  Device<T> in(given), out(48);
  hinted_kernel<T><<<1, 8>>>(out.data(), in.data());
  feature.show(out);
}

// ---- vectors and structures ----
__global__ void vectors_kernel(float4 *out, const float4 *in, int2 *pairs, uchar4 *bytes) {
  const unsigned i = threadIdx.x;
  float4 v = in[i];
  v.x += v.w;
  const float4 w = make_float4(v.y, v.z, v.x, 1.0f);
  out[i] = w;
  pairs[i] = make_int2(static_cast<int>(v.x), -static_cast<int>(i));
  bytes[i] = make_uchar4(static_cast<unsigned char>(i), 2, 3, static_cast<unsigned char>(v.y));
}
__global__ void windows_kernel(double *out) {
  Window<double, 5> window;
  int local[7];
  for (int i = 0; i < 7; ++i)
    local[i] = twice(i) + static_cast<int>(threadIdx.x);
  for (int i = 0; i < 5; ++i)
    window.cells[i] = local[(i + static_cast<int>(threadIdx.x)) % 7] * 0.25;
  out[threadIdx.x] = window.sum() + block_maximum(static_cast<int>(threadIdx.x * 7 % 11));
}
static void structures() {
  Feature feature("vectors_and_structures");
  std::vector<float4> given(6);
  for (size_t i = 0; i < 6; ++i) {
    const float x = static_cast<float>(i);
    given[i] = make_float4(x, x + 0.5f, 2 * x, -x);
  }
  Device<float4> in(given), out(6);
  Device<int2> pairs(6);
  Device<uchar4> bytes(6);
  vectors_kernel<<<1, 6>>>(out.data(), in.data(), pairs.data(), bytes.data());
  feature.show(out).show(pairs).show(bytes);
  Device<double> sums(12);
  windows_kernel<<<1, 12>>>(sums.data());
  feature.show(sums);
}

// What the types of CUDA occupy.
template <typename T>
static void layout(const char *name) {
  Feature(std::string("layout_of_") + name).value(sizeof(T)).value(alignof(T));
}
#define LAYOUT(type) layout<type>(#type)
#define LAYOUTS(name) \
  LAYOUT(name##1);    \
  LAYOUT(name##2);    \
  LAYOUT(name##3)
static void layouts() {
  LAYOUTS(char);
  LAYOUTS(uchar);
  LAYOUTS(short);
  LAYOUTS(ushort);
  LAYOUTS(int);
  LAYOUTS(uint);
  LAYOUTS(long);
  LAYOUTS(ulong);
  LAYOUTS(longlong);
  LAYOUTS(ulonglong);
  LAYOUTS(float);
  LAYOUTS(double);
  LAYOUT(char4);
  LAYOUT(uchar4);
  LAYOUT(short4);
  LAYOUT(ushort4);
  LAYOUT(int4);
  LAYOUT(uint4);
  LAYOUT(float4);
  LAYOUT(dim3);
  LAYOUT(__half);
  LAYOUT(__half2);
  LAYOUT(__nv_bfloat16);
  LAYOUT(__nv_bfloat162);
}

int main() {
  shared();
  variables();
  hinted<signed char>("signed_char");
  hinted<short>("short");
  hinted<int>("int");
  hinted<unsigned>("unsigned");
  hinted<long long>("long_long");
  hinted<float>("float");
  hinted<double>("double");
  hinted<char4>("char4");
  hinted<short2>("short2");
  hinted<int2>("int2");
  hinted<int4>("int4");
  hinted<float2>("float2");
  hinted<float4>("float4");
  hinted<double2>("double2");
  hinted<__half>("half");
  hinted<__half2>("half2");
  hinted<__nv_bfloat16>("bfloat16");
  hinted<__nv_bfloat162>("bfloat162");
  structures();
  layouts();
  return finish();
}
