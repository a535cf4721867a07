// shared.cu: loads and stores of shared memory, with and without bank conflicts.
#include <cuda_fp16.h>

#include <cstdint>

#include "rows.cuh"

constexpr int side = 64;

// y = x transposed, through a tile with kPad unused columns; kPad = 0 puts a column into one bank.
template <int kPad>
__global__ void transpose_tile(float *y, const float *x) {
  __shared__ float tile[32][32 + kPad];
  const int left = static_cast<int>(blockIdx.x) * 32, top = static_cast<int>(blockIdx.y) * 32;
  const int column = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int r = static_cast<int>(threadIdx.y); r < 32; r += 8) {
    tile[r][column] = x[(top + r) * side + left + column];
  }
  __syncthreads();
#pragma unroll
  for (int r = static_cast<int>(threadIdx.y); r < 32; r += 8) {
    y[(left + r) * side + top + column] = tile[column][r];
  }
}

// Without a tile: reads along rows, writes along columns.
__global__ void transpose_naive(float *y, const float *x) {
  const int column = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  y[column * side + row] = x[row * side + column];
}

// A sum over the block by halving: threads stand `stride` elements apart, 2 to 256 of them.
__global__ void reduce_interleaved(float *y, const float *x) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x;
  part[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = 1; stride < 256; stride *= 2) {
    const unsigned at = 2 * stride * t;
    if (at < 256) {
      part[at] += part[at + stride];
    }
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}

// The same with neighbours: no conflicts.
__global__ void reduce_sequential(float *y, const float *x) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x;
  part[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = 128; stride > 0; stride /= 2) {
    if (t < stride) {
      part[t] += part[t + stride];
    }
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}

// c = a b of side x side, in tiles of 16 x 16: a warp is two rows of a tile.
__global__ void matrix_product(float *c, const float *a, const float *b) {
  __shared__ float a_tile[16][16], b_tile[16][16];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * 16 + ty;
  const int column = static_cast<int>(blockIdx.x) * 16 + tx;
  float sum = 0.0f;
#pragma unroll 1
  for (int begin = 0; begin < side; begin += 16) {
    a_tile[ty][tx] = a[row * side + begin + tx];
    b_tile[ty][tx] = b[(begin + ty) * side + column];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 16; ++k) {
      sum += a_tile[ty][k] * b_tile[k][tx];
    }
    __syncthreads();
  }
  c[row * side + column] = sum;
}

// One conflict of every kind: lanes stand kStride words apart.
template <int kStride>
__global__ void bank_stride(float *y) {
  __shared__ float words[32 * kStride];
  const int t = static_cast<int>(threadIdx.x);
  words[t * kStride] = static_cast<float>(t);
  __syncwarp();
  y[t] = words[(t ^ 1) * kStride];
}

// A three-point average: neighbours share words.
__global__ void stencil(float *y, const float *x) {
  __shared__ float row[256 + 2];
  const int t = static_cast<int>(threadIdx.x);
  row[t + 1] = x[t + 1];
  if (t == 0) row[0] = x[0];
  if (t == 255) row[257] = x[257];
  __syncthreads();
  y[t] = (row[t] + row[t + 1] + row[t + 2]) / 3.0f;
}

// Each lane stores to its own element and loads the one that its table names: one warp.
template <typename T>
__global__ void pattern(T *y, const T *x, const int *index) {
  __shared__ T elements[256];
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int i = t; i < 256; i += 32) {
    elements[i] = x[i];
  }
  __syncwarp();
  y[t] = elements[index[t]];
}

// Each lane stores where its table says, all to different elements.
template <typename T>
__global__ void pattern_store(T *y, const T *x, const int *index) {
  __shared__ T elements[1024 / sizeof(T) * 4];
  const int t = static_cast<int>(threadIdx.x);
  elements[index[t]] = x[t];
  __syncwarp();
  y[t] = elements[index[t]];
}

// Only some of the lanes load, lane t element t / kDivisor.
template <typename T, int kDivisor = 1>
__global__ void some_lanes(T *y, const T *x, unsigned lanes) {
  __shared__ T elements[32];
  const int t = static_cast<int>(threadIdx.x);
  elements[t] = x[t];
  __syncwarp();
  if (lanes >> t & 1) {
    y[t] = elements[t / kDivisor];
  }
}

using Index = int (*)(int);

template <typename T>
void patterns(const char *name, float *y, const float *x, Index index) {
  int *table = device_table<int>(32, [index](size_t i) { return index(static_cast<int>(i)); });
  run_row(name, 1, [&] { pattern<T><<<1, 32>>>((T *)y, (const T *)x, table); });
}

template <typename T>
void store_patterns(const char *name, float *y, const float *x, Index index) {
  int *table = device_table<int>(32, [index](size_t i) { return index(static_cast<int>(i)); });
  run_row(name, 1, [&] { pattern_store<T><<<1, 32>>>((T *)y, (const T *)x, table); });
}

int random_of(int lane, int seed, int count) {
  return static_cast<int>(mixed(static_cast<unsigned>(lane + 100 * seed)) %
                          static_cast<unsigned>(count));
}

int main() {
  float *x = device_memory<float>(8192);
  float *y = device_memory<float>(8192);
  const dim3 tiles(side / 32, side / 32), tile(32, 8);
  ROW(transpose_naive, transpose_naive<<<dim3(side / 32, side / 8), tile>>>(y, x));
  ROW(transpose_conflicted, transpose_tile<0><<<tiles, tile>>>(y, x));
  ROW(transpose_padded, transpose_tile<1><<<tiles, tile>>>(y, x));
  ROW(transpose_padded_2, transpose_tile<2><<<tiles, tile>>>(y, x));
  ROW(matrix_product, matrix_product<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(y, x, x + 4096));
  ROW(reduce_interleaved, reduce_interleaved<<<4, 256>>>(y, x));
  ROW(reduce_sequential, reduce_sequential<<<4, 256>>>(y, x));
  ROW(bank_stride_1, bank_stride<1><<<1, 32>>>(y));
  ROW(bank_stride_2, bank_stride<2><<<1, 32>>>(y));
  ROW(bank_stride_3, bank_stride<3><<<1, 32>>>(y));
  ROW(bank_stride_4, bank_stride<4><<<1, 32>>>(y));
  ROW(bank_stride_8, bank_stride<8><<<1, 32>>>(y));
  ROW(bank_stride_16, bank_stride<16><<<1, 32>>>(y));
  ROW(bank_stride_32, bank_stride<32><<<1, 32>>>(y));
  ROW(bank_stride_33, bank_stride<33><<<1, 32>>>(y));
  ROW(stencil, stencil<<<1, 256>>>(y, x));

#define PATTERNS(T, name)                                                                  \
  patterns<T>(name "_in_order", y, x, [](int i) { return i; });                            \
  patterns<T>(name "_reversed", y, x, [](int i) { return 31 - i; });                       \
  patterns<T>(name "_broadcast", y, x, [](int) { return 5; });                             \
  patterns<T>(name "_neighbours_equal", y, x, [](int i) { return i / 2; });                \
  patterns<T>(name "_fours_equal", y, x, [](int i) { return i / 4; });                     \
  patterns<T>(name "_eights_equal", y, x, [](int i) { return i / 8; });                    \
  patterns<T>(name "_halves_equal", y, x, [](int i) { return i % 16; });                   \
  patterns<T>(name "_quarters_equal", y, x, [](int i) { return i % 8; });                  \
  patterns<T>(name "_period_4", y, x, [](int i) { return i % 4; });                        \
  patterns<T>(name "_every_other_equal", y, x, [](int i) { return i / 4 * 2 + i % 2; });   \
  patterns<T>(name "_stride_2", y, x, [](int i) { return 2 * i; });                        \
  patterns<T>(name "_stride_3", y, x, [](int i) { return 3 * i; });                        \
  patterns<T>(name "_stride_4", y, x, [](int i) { return 4 * i; });                        \
  patterns<T>(name "_stride_8", y, x, [](int i) { return 8 * i; });                        \
  patterns<T>(name "_bit_reversed", y, x, [](int i) {                                      \
    return (i & 1) << 4 | (i & 2) << 2 | (i & 4) | (i & 8) >> 2 | (i & 16) >> 4;           \
  });                                                                                      \
  patterns<T>(name "_random_256", y, x, [](int i) { return random_of(i, 1, 256); });       \
  patterns<T>(name "_random_256_again", y, x, [](int i) { return random_of(i, 2, 256); }); \
  patterns<T>(name "_random_64", y, x, [](int i) { return random_of(i, 3, 64); });         \
  patterns<T>(name "_random_16", y, x, [](int i) { return random_of(i, 4, 16); });         \
  patterns<T>(name "_random_4", y, x, [](int i) { return random_of(i, 5, 4); });           \
  patterns<T>(name "_random_pairs", y, x, [](int i) { return random_of(i / 2, 6, 256); }); \
  patterns<T>(name "_random_fours", y, x, [](int i) { return random_of(i / 4, 7, 256); }); \
  store_patterns<T>(name "_store_in_order", y, x, [](int i) { return i; });                \
  store_patterns<T>(name "_store_stride_2", y, x, [](int i) { return 2 * i; });            \
  store_patterns<T>(name "_store_stride_4", y, x, [](int i) { return 4 * i; });            \
  store_patterns<T>(name "_store_mixed", y, x, [](int i) { return i * 7 % 32 * 3 % 95; })

  PATTERNS(uint8_t, "byte");
  PATTERNS(__half, "half");
  PATTERNS(float, "word");
  PATTERNS(float2, "pair");
  PATTERNS(float4, "quad");
  ROW(pair_first_half, some_lanes<float2><<<1, 32>>>((float2 *)y, (const float2 *)x, 0x0000ffffu));
  ROW(pair_even_lanes, some_lanes<float2><<<1, 32>>>((float2 *)y, (const float2 *)x, 0x55555555u));
  ROW(pair_lanes_0_1_of_4,
      some_lanes<float2><<<1, 32>>>((float2 *)y, (const float2 *)x, 0x33333333u));
  ROW(pair_one_a_half, some_lanes<float2><<<1, 32>>>((float2 *)y, (const float2 *)x, 0x00010001u));
  ROW(pair_even_lanes_close,
      some_lanes<float2, 2><<<1, 32>>>((float2 *)y, (const float2 *)x, 0x55555555u));
  ROW(pair_even_lanes_equal,
      some_lanes<float2, 4><<<1, 32>>>((float2 *)y, (const float2 *)x, 0x55555555u));
  ROW(pair_quarter_close,
      some_lanes<float2, 4><<<1, 32>>>((float2 *)y, (const float2 *)x, 0x11111111u));
  ROW(pair_pairs_close,
      some_lanes<float2, 2><<<1, 32>>>((float2 *)y, (const float2 *)x, 0x33333333u));
  ROW(pair_one_of_first,
      some_lanes<float2, 2><<<1, 32>>>((float2 *)y, (const float2 *)x, 0x55555551u));
  ROW(quad_even_lanes_close,
      some_lanes<float4, 2><<<1, 32>>>((float4 *)y, (const float4 *)x, 0x55555555u));
  ROW(quad_even_lanes_equal,
      some_lanes<float4, 4><<<1, 32>>>((float4 *)y, (const float4 *)x, 0x55555555u));
  ROW(quad_quarter_close,
      some_lanes<float4, 4><<<1, 32>>>((float4 *)y, (const float4 *)x, 0x11111111u));
  ROW(quad_pairs_close,
      some_lanes<float4, 2><<<1, 32>>>((float4 *)y, (const float4 *)x, 0x33333333u));
  ROW(quad_first_half, some_lanes<float4><<<1, 32>>>((float4 *)y, (const float4 *)x, 0x0000ffffu));
  ROW(quad_even_lanes, some_lanes<float4><<<1, 32>>>((float4 *)y, (const float4 *)x, 0x55555555u));
  ROW(quad_lanes_0_1_of_4,
      some_lanes<float4><<<1, 32>>>((float4 *)y, (const float4 *)x, 0x33333333u));
  ROW(quad_one_a_quarter,
      some_lanes<float4><<<1, 32>>>((float4 *)y, (const float4 *)x, 0x01010101u));
  ROW(quad_lane_0, some_lanes<float4><<<1, 32>>>((float4 *)y, (const float4 *)x, 1u));
  return 0;
}
