// atomics.cu: atomics on global and shared memory, on one address and on many.
//
// nvcc has short cuts, which some rows show: a result that nobody uses makes a reduction of an
// atomic (RED instead of ATOM); one lane adds for the whole warp where all lanes are seen to name
// one address; counting by 1 in shared memory has an instruction of its own. A table of addresses
// and a parameter as the value added keep it from the latter two.
#include "rows.cuh"

constexpr int threads = 256;
constexpr int blocks = 4;
constexpr int n = blocks * threads;

__device__ __forceinline__ int thread_of_grid() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

template <typename T>
__global__ void add_global(T *counts, const int *index, T value) {
  atomicAdd(&counts[index[thread_of_grid()]], value);
}

__global__ void add_one_global(int *count) {
  atomicAdd(count, 1);
}

// The result is used: an ATOM.
__global__ void take_number(int *y, int *counts, const int *index) {
  const int i = thread_of_grid();
  y[i] = atomicAdd(&counts[index[i]], 1);
}

__global__ void exchange(int *y, int *cells, const int *index) {
  const int i = thread_of_grid();
  y[i] = atomicExch(&cells[index[i]], i);
}

__global__ void compare_and_swap(int *y, int *cells, const int *index) {
  const int i = thread_of_grid();
  y[i] = atomicCAS(&cells[index[i]], 0, i);
}

__global__ void maximum(int *cells, const int *index) {
  const int i = thread_of_grid();
  atomicMax(&cells[index[i]], i);
}

template <typename T>
__global__ void add_shared(T *y, const int *index, T value) {
  __shared__ T counts[32 * 32];
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int i = t; i < 32 * 32; i += static_cast<int>(blockDim.x)) {
    counts[i] = T(0);
  }
  __syncthreads();
  atomicAdd(&counts[index[t]], value);
  __syncthreads();
  y[thread_of_grid()] = counts[t];
}

// Counts by 1, without the result.
__global__ void count_shared(int *y, const int *index) {
  __shared__ int counts[32 * 32];
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int i = t; i < 32 * 32; i += static_cast<int>(blockDim.x)) {
    counts[i] = 0;
  }
  __syncthreads();
  atomicAdd(&counts[index[t]], 1);
  __syncthreads();
  y[thread_of_grid()] = counts[t];
}

__global__ void take_shared_number(int *y, const int *index) {
  __shared__ int counts[32 * 32];
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int i = t; i < 32 * 32; i += static_cast<int>(blockDim.x)) {
    counts[i] = 0;
  }
  __syncthreads();
  y[thread_of_grid()] = atomicAdd(&counts[index[t]], 1);
}

// A histogram of 64 bins in shared memory, added to the global one at the end.
__global__ void histogram(int *bins, const int *values, int count) {
  __shared__ int mine[64];
  const int t = static_cast<int>(threadIdx.x);
  if (t < 64) mine[t] = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = thread_of_grid(); i < count; i += static_cast<int>(gridDim.x * blockDim.x)) {
    atomicAdd(&mine[values[i]], 1);
  }
  __syncthreads();
  if (t < 64) atomicAdd(&bins[t], mine[t]);
}

int main() {
  int *y = device_memory<int>(2 * n);
  int *cells = device_memory<int>(n * 32);
  const auto table = [](auto value) {
    return device_table<int>(n, [value](size_t i) { return value(static_cast<int>(i)); });
  };
  int *same = table([](int) { return 0; });
  int *own = table([](int i) { return i; });
  int *by_warp = table([](int i) { return i / 32; });
  int *pairs = table([](int i) { return i / 2; });
  int *apart = table([](int i) { return i * 32; });
  int *in_one_bank = table([](int i) { return i % 32 * 32; });
  int *eight = table([](int i) { return i % 8; });
  int *random = table([](int i) { return static_cast<int>(mixed(static_cast<unsigned>(i)) % 64); });

  ROW(add_global_same, add_global<int><<<blocks, threads>>>(cells, same, 2));
  ROW(add_global_own, add_global<int><<<blocks, threads>>>(cells, own, 2));
  ROW(add_global_by_warp, add_global<int><<<blocks, threads>>>(cells, by_warp, 2));
  ROW(add_global_pairs, add_global<int><<<blocks, threads>>>(cells, pairs, 2));
  ROW(add_global_apart, add_global<int><<<blocks, threads>>>(cells, apart, 2));
  ROW(add_global_random, add_global<int><<<blocks, threads>>>(cells, random, 2));
  ROW(add_global_float, add_global<float><<<blocks, threads>>>((float *)cells, own, 2.0f));
  ROW(add_global_double, add_global<double><<<blocks, threads>>>((double *)cells, own, 2.0));
  ROW(add_one_global, add_one_global<<<blocks, threads>>>(cells));
  ROW(take_number_same, take_number<<<blocks, threads>>>(y, cells, same));
  ROW(take_number_random, take_number<<<blocks, threads>>>(y, cells, random));
  ROW(take_number_own, take_number<<<blocks, threads>>>(y, cells, own));
  ROW(exchange, exchange<<<blocks, threads>>>(y, cells, own));
  ROW(compare_and_swap, compare_and_swap<<<blocks, threads>>>(y, cells, own));
  ROW(maximum, maximum<<<blocks, threads>>>(cells, own));
  ROW(add_shared_same, add_shared<int><<<blocks, threads>>>(y, same, 2));
  ROW(add_shared_own, add_shared<int><<<blocks, threads>>>(y, own, 2));
  ROW(add_shared_one_bank, add_shared<int><<<blocks, threads>>>(y, in_one_bank, 2));
  ROW(add_shared_eight, add_shared<int><<<blocks, threads>>>(y, eight, 2));
  ROW(add_shared_random, add_shared<int><<<blocks, threads>>>(y, random, 2));
  ROW(add_shared_unsigned_long,
      add_shared<unsigned long long><<<blocks, threads>>>((unsigned long long *)y, own, 2ull));
  ROW(add_shared_float_own, add_shared<float><<<blocks, threads>>>((float *)y, own, 2.0f));
  ROW(add_shared_float_same, add_shared<float><<<blocks, threads>>>((float *)y, same, 2.0f));
  ROW(count_shared_same, count_shared<<<blocks, threads>>>(y, same));
  ROW(count_shared_eight, count_shared<<<blocks, threads>>>(y, eight));
  ROW(count_shared_random, count_shared<<<blocks, threads>>>(y, random));
  ROW(take_shared_number_same, take_shared_number<<<blocks, threads>>>(y, same));
  ROW(take_shared_number_own, take_shared_number<<<blocks, threads>>>(y, own));
  ROW(take_shared_number_eight, take_shared_number<<<blocks, threads>>>(y, eight));
  ROW(take_shared_number_one_bank, take_shared_number<<<blocks, threads>>>(y, in_one_bank));
  ROW(take_shared_number_random, take_shared_number<<<blocks, threads>>>(y, random));
  ROW(histogram, histogram<<<blocks, threads>>>(cells, random, n));
  return 0;
}
