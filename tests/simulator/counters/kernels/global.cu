// global.cu: loads and stores of global memory, in the ways that kernels make them.
#include <cuda_fp16.h>

#include <cstdint>

#include "rows.cuh"

constexpr int n = 4096;
constexpr int threads = 256;
constexpr int blocks = n / threads;

__device__ __forceinline__ int thread_of_grid() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

template <typename T>
__global__ void copy(T *y, const T *x) {
  const int i = thread_of_grid();
  y[i] = x[i];
}

// Every kStride-th element.
template <int kStride>
__global__ void strided_copy(float *y, const float *x) {
  const int i = thread_of_grid() * kStride;
  y[i] = x[i];
}

template <int kOffset>
__global__ void offset_copy(float *y, const float *x) {
  const int i = thread_of_grid() + kOffset;
  y[i] = x[i];
}

__global__ void reversed_copy(float *y, const float *x) {
  const int i = n - 1 - thread_of_grid();
  y[i] = x[i];
}

struct Particle {
  float x, y, z;
};

// An array of structures, read field by field.
__global__ void array_of_structs(float *y, const Particle *particles) {
  const int i = thread_of_grid();
  y[i] = particles[i].x + particles[i].y + particles[i].z;
}

// One field of it: the others travel along.
__global__ void one_field(float *y, const Particle *particles) {
  const int i = thread_of_grid();
  y[i] = particles[i].y;
}

__global__ void struct_of_arrays(float *y, const float *x) {
  const int i = thread_of_grid();
  y[i] = x[i] + x[n + i] + x[2 * n + i];
}

__global__ void broadcast(float *y, const float *x) {
  y[thread_of_grid()] = x[blockIdx.x];
}

__global__ void gather(float *y, const float *x, const int *index) {
  const int i = thread_of_grid();
  y[i] = x[index[i]];
}

__global__ void scatter(float *y, const float *x, const int *index) {
  const int i = thread_of_grid();
  y[index[i]] = x[i];
}

// A thread a row of 64: lanes are 256 bytes apart.
__global__ void thread_per_row(float *y, const float *x) {
  const int row = thread_of_grid();
  float sum = 0.0f;
#pragma unroll 1
  for (int c = 0; c < 64; ++c) {
    sum += x[row * 64 + c];
  }
  y[row] = sum;
}

// A thread a column of 64 rows.
__global__ void column_sums(float *y, const float *x) {
  const int column = thread_of_grid();
  float sum = 0.0f;
#pragma unroll 1
  for (int r = 0; r < 64; ++r) {
    sum += x[r * n + column];
  }
  y[column] = sum;
}

__global__ void grid_stride(float *y, const float *x, int count) {
#pragma unroll 1
  for (int i = thread_of_grid(); i < count; i += static_cast<int>(gridDim.x * blockDim.x)) {
    y[i] = x[i];
  }
}

// The last block is only partly needed.
__global__ void early_exit(float *y, const float *x, int count) {
  const int i = thread_of_grid();
  if (i >= count) return;
  y[i] = x[i];
}

__global__ void even_lanes(float *y, const float *x) {
  const int i = thread_of_grid();
  if (i % 2 == 0) {
    y[i] = x[i];
  }
}

// Two ways with loads and stores of their own: the lanes of a warp take both.
__global__ void two_ways(float *y, const float *x, const float *z, const int *index) {
  const int i = thread_of_grid();
  if (index[i] % 3 == 0) {
    y[i] = x[i] * 2.0f;
  } else {
    y[n + i] = z[i] * z[i];
  }
}

// relu by a branch around the store; half of the elements are positive.
__global__ void divergent_relu(float *y, const float *x) {
  const int i = thread_of_grid();
  if (x[i] > 0.0f) {
    y[i] = x[i];
  } else {
    y[i] = 0.0f;
  }
}

// Lane l goes round l % 8 times, then all store together.
__global__ void uneven_loop(float *y, const float *x) {
  const int i = thread_of_grid();
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < i % 8; ++k) {
    sum += x[k * n + i];
  }
  y[i] = sum;
}

// The inner loop's length depends on lane and round: lanes meet after each round.
__global__ void nested_loops(float *y, const float *x, const int *index) {
  const int i = thread_of_grid();
  float sum = 0.0f;
#pragma unroll 1
  for (int round = 0; round < 4; ++round) {
    const int length = index[round * n + i] % 5;
#pragma unroll 1
    for (int k = 0; k < length; ++k) {
      sum += x[k * n + i];
    }
  }
  y[i] = sum;
}

// A function that is not inlined, entered by every third lane, with a loop of its own.
__device__ __noinline__ float series(const float *x, int terms) {
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < terms; ++k) {
    sum = sum * 0.5f + x[k];
  }
  return sum;
}

__global__ void divergent_call(float *y, const float *x) {
  const int i = thread_of_grid();
  float value = x[i];
  if (i % 3 == 0) {
    value += series(x + i, i % 7);
  }
  y[i] = value;
}

// Four ways with a load each, and one store for all.
__global__ void switch_of_four(float *y, const float *x, const int *index) {
  const int i = thread_of_grid();
  float value = 0.0f;
  switch (index[i] % 4) {
    case 0:
      value = x[i];
      break;
    case 1:
      value = x[n + i] * x[2 * n + i];
      break;
    case 2:
#pragma unroll 1
      for (int k = 0; k < 3; ++k) {
        value += x[k * n + i];
      }
      break;
    default:
      value = -1.0f;
      break;
  }
  y[i] = value;
}

// Lanes leave the loop in its middle, at different times.
__global__ void break_out(float *y, const float *x, const int *index) {
  const int i = thread_of_grid();
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 8; ++k) {
    sum += x[k * n + i];
    if (index[k * 256 + i % 256] % 8 == 0) break;
    sum += x[(k + 8) * n + i];
  }
  y[i] = sum;
}

// x runs fastest in the grid but along the rows of the array: lanes are a row apart.
__global__ void swapped_axes(float *y, const float *x) {
  const int row = static_cast<int>(threadIdx.x),
            column = static_cast<int>(blockIdx.x * 8 + threadIdx.y);
  y[row * 64 + column] = x[row * 64 + column];
}

// Blocks of 8 x 8 x 4: a warp covers four short rows.
__global__ void three_dimensions(float *y, const float *x) {
  const int i = static_cast<int>(((blockIdx.x * blockDim.z + threadIdx.z) * 16 + threadIdx.y) * 16 +
                                 threadIdx.x);
  y[i] = x[i];
}

struct alignas(16) Wide {
  float4 low, high;
};

// 32 bytes a thread, as two loads and two stores of 16.
__global__ void two_vectors(Wide *y, const Wide *x) {
  const int i = thread_of_grid();
  y[i].low = x[i].low;
  y[i].high = x[i].high;
}

int main() {
  float *x = device_table<float>(n * 64, [](size_t i) {
    return static_cast<int>(mixed(static_cast<unsigned>(i)) % 64) - 31.5f;
  });
  float *y = device_memory<float>(n * 64);
  int *random = device_table<int>(
      n * 4, [](size_t i) { return static_cast<int>(mixed(static_cast<unsigned>(i)) % n); });
  int *shuffled = device_table<int>(n, [](size_t i) { return static_cast<int>(i * 1327 % n); });
  ROW(copy_float, copy<float><<<blocks, threads>>>(y, x));
  ROW(copy_float2, copy<float2><<<blocks, threads>>>((float2 *)y, (const float2 *)x));
  ROW(copy_float4, copy<float4><<<blocks, threads>>>((float4 *)y, (const float4 *)x));
  ROW(copy_double, copy<double><<<blocks, threads>>>((double *)y, (const double *)x));
  ROW(copy_half, copy<__half><<<blocks, threads>>>((__half *)y, (const __half *)x));
  ROW(copy_half2, copy<__half2><<<blocks, threads>>>((__half2 *)y, (const __half2 *)x));
  ROW(copy_bytes, copy<uint8_t><<<blocks, threads>>>((uint8_t *)y, (const uint8_t *)x));
  ROW(copy_two_vectors, two_vectors<<<blocks, threads>>>((Wide *)y, (const Wide *)x));
  ROW(copy_strided_2, strided_copy<2><<<blocks, threads>>>(y, x));
  ROW(copy_strided_4, strided_copy<4><<<blocks, threads>>>(y, x));
  ROW(copy_strided_8, strided_copy<8><<<blocks, threads>>>(y, x));
  ROW(copy_strided_32, strided_copy<32><<<blocks, threads>>>(y, x));
  ROW(copy_offset_1, offset_copy<1><<<blocks, threads>>>(y, x));
  ROW(copy_offset_8, offset_copy<8><<<blocks, threads>>>(y, x));
  ROW(copy_float4_offset,
      copy<float4><<<blocks, threads>>>((float4 *)(y + 4), (const float4 *)(x + 4)));
  ROW(copy_reversed, reversed_copy<<<blocks, threads>>>(y, x));
  ROW(array_of_structs, array_of_structs<<<blocks, threads>>>(y, (const Particle *)x));
  ROW(one_field, one_field<<<blocks, threads>>>(y, (const Particle *)x));
  ROW(struct_of_arrays, struct_of_arrays<<<blocks, threads>>>(y, x));
  ROW(broadcast, broadcast<<<blocks, threads>>>(y, x));
  ROW(gather, gather<<<blocks, threads>>>(y, x, random));
  ROW(scatter, scatter<<<blocks, threads>>>(y, x, shuffled));
  ROW(thread_per_row, thread_per_row<<<4, threads>>>(y, x));
  ROW(column_sums, column_sums<<<4, threads>>>(y, x));
  ROW(grid_stride, grid_stride<<<4, threads>>>(y, x, 3001));
  ROW(early_exit, early_exit<<<4, threads>>>(y, x, 777));
  ROW(partial_warps, copy<float><<<10, 48>>>(y, x));
  ROW(even_lanes, even_lanes<<<blocks, threads>>>(y, x));
  ROW(two_ways, two_ways<<<blocks, threads>>>(y, x, x + n, random));
  ROW(divergent_relu, divergent_relu<<<blocks, threads>>>(y, x));
  ROW(uneven_loop, uneven_loop<<<blocks, threads>>>(y, x));
  ROW(nested_loops, nested_loops<<<blocks, threads>>>(y, x, random));
  ROW(divergent_call, divergent_call<<<blocks, threads>>>(y, x));
  ROW(switch_of_four, switch_of_four<<<blocks, threads>>>(y, x, random));
  ROW(break_out, break_out<<<blocks, threads>>>(y, x, random));
  ROW(swapped_axes, swapped_axes<<<8, dim3(32, 8)>>>(y, x));
  ROW(three_dimensions, three_dimensions<<<16, dim3(8, 8, 4)>>>(y, x));
  return 0;
}
