// shuffles.cu: the four shuffles with every width, every type and masks of part of a warp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "features.cuh"

template <typename T>
__host__ __device__ T lane_value(int lane) {
  return static_cast<T>(lane * 3 + 1);
}
template <>
__host__ __device__ __half lane_value(int lane) {
  return __float2half(static_cast<float>(lane) + 0.5f);
}
template <>
__host__ __device__ __nv_bfloat16 lane_value(int lane) {
  return __float2bfloat16(static_cast<float>(lane) + 0.5f);
}
template <>
__host__ __device__ __half2 lane_value(int lane) {
  return __floats2half2_rn(static_cast<float>(lane), static_cast<float>(-lane));
}
template <>
__host__ __device__ __nv_bfloat162 lane_value(int lane) {
  return __floats2bfloat162_rn(static_cast<float>(lane), static_cast<float>(-lane));
}

constexpr unsigned whole = 0xffffffffu;
enum { by_index, up, down, exclusive_or };

template <typename T>
__device__ T shuffle(int kind, unsigned mask, T value, int argument, int width) {
  switch (kind) {
    case by_index:
      return __shfl_sync(mask, value, argument, width);
    case up:
      return __shfl_up_sync(mask, value, static_cast<unsigned>(argument), width);
    case down:
      return __shfl_down_sync(mask, value, static_cast<unsigned>(argument), width);
    default:
      return __shfl_xor_sync(mask, value, argument, width);
  }
}

template <typename T>
__global__ void shuffle_kernel(T *out, int kind, int argument, int width) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = shuffle(kind, whole, lane_value<T>(lane), argument, width);
}
// The source depends on the lane.
__global__ void gather_kernel(int *out, int width) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = __shfl_sync(whole, lane_value<int>(lane), lane * 7 + 2, width);
}
// Only lanes of `mask` take part, and read each other.
__global__ void masked_kernel(int *out, unsigned mask, int kind, int argument) {
  const int lane = static_cast<int>(threadIdx.x);
  if ((mask >> lane & 1u) != 0) {
    out[lane] = shuffle(kind, mask, lane_value<int>(lane), argument, 32);
  }
}
// Both sides of a branch shuffle, each among its own lanes.
__global__ void branches_kernel(int *out) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane < 12) {
    out[lane] = __shfl_sync(0x00000fffu, lane_value<int>(lane), 11 - lane);
  } else {
    out[lane] = __shfl_sync(0xfffff000u, lane_value<int>(lane), 12 + (lane * 5) % 20);
  }
}
// The last warp of the block has 8 lanes.
__global__ void partial_warp_kernel(int *out) {
  const int thread = static_cast<int>(threadIdx.x);
  const unsigned mask = thread < 32 ? whole : 0xffu;
  out[thread] = __shfl_down_sync(mask, lane_value<int>(thread), 1, 8);
}
__global__ void butterfly_kernel(float *out) {
  float sum = static_cast<float>(threadIdx.x);
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(whole, sum, distance);
  out[threadIdx.x] = sum;
}

static const char *const names[] = {"shfl", "shfl_up", "shfl_down", "shfl_xor"};

static void widths() {
  Device<int> out(32);
  const int arguments[] = {0, 1, 3, 5, 16, 31, 33};
  for (int kind = by_index; kind <= exclusive_or; ++kind) {
    for (int width = 32; width > 0; width /= 2) {
      Feature feature(std::string(names[kind]) + "_width_" + std::to_string(width));
      for (const int argument : arguments) {
        // A warp's lanes are 0 to 31; a mask beyond them is not defined.
        if (kind == exclusive_or && argument > 31) continue;
        shuffle_kernel<int><<<1, 32>>>(out.data(), kind, argument, width);
        feature.show(out);
      }
    }
  }
  Feature negative("shfl_negative_index");
  shuffle_kernel<int><<<1, 32>>>(out.data(), by_index, -3, 16);
  negative.show(out);
  for (int width = 32; width > 1; width /= 4) {
    Feature feature("shfl_index_of_lane_width_" + std::to_string(width));
    gather_kernel<<<1, 32>>>(out.data(), width);
    feature.show(out);
  }
}

template <typename T>
static void type(const char *name) {
  Device<T> out(32);
  for (int kind = by_index; kind <= exclusive_or; ++kind) {
    Feature feature(std::string(names[kind]) + "_" + name);
    shuffle_kernel<T><<<1, 32>>>(out.data(), kind, 5, 32);
    feature.show(out);
    shuffle_kernel<T><<<1, 32>>>(out.data(), kind, 2, 8);
    feature.show(out);
  }
}

static void masks() {
  const unsigned chosen[] = {0x0000ffffu, 0xffff0000u, 0x00ff00ffu, 0x0f0f0f0fu, 0x33333333u};
  for (const unsigned mask : chosen) {
    char name[32];
    std::snprintf(name, sizeof name, "masked_%08x", mask);
    Feature feature(name);
    Device<int> out(32);
    masked_kernel<<<1, 32>>>(out.data(), mask, exclusive_or, 1);
    feature.show(out);
    const int first = __builtin_ctz(mask);
    masked_kernel<<<1, 32>>>(out.data(), mask, by_index, first);
    feature.show(out);
  }
}

int main() {
  widths();
  type<int>("int");
  type<unsigned>("unsigned");
  type<long>("long");
  type<unsigned long>("unsigned_long");
  type<long long>("long_long");
  type<unsigned long long>("unsigned_long_long");
  type<float>("float");
  type<double>("double");
  type<__half>("half");
  type<__half2>("half2");
  type<__nv_bfloat16>("bfloat16");
  type<__nv_bfloat162>("bfloat162");
  masks();
  {
    Feature feature("both_sides_of_a_branch");
    Device<int> out(32);
    branches_kernel<<<1, 32>>>(out.data());
    feature.show(out);
  }
  {
    Feature feature("warp_of_8_lanes");
    Device<int> out(40);
    partial_warp_kernel<<<1, 40>>>(out.data());
    feature.show(out);
  }
  {
    Feature feature("butterfly_sum");
    Device<float> out(32);
    butterfly_kernel<<<1, 32>>>(out.data());
    feature.show(out);
  }
  return finish();
}
