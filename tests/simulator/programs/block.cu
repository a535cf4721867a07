// block.cu: indices in three dimensions, barriers and their reductions, static and dynamic shared
// memory, atomics, fences, early exits, several kernels in one program.
#include "check.cuh"

__global__ void index_kernel(int *out) {
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = block * 1000 + thread;
}

static void indices() {
  const dim3 grid(3, 2, 2);
  const dim3 block(5, 3, 7);
  Buffer<int> out(12 * 105);
  index_kernel<<<grid, block>>>(out.device);
  out.download();
  for (int i = 0; i < 12 * 105; ++i)
    CHECK(out.host[i] == i / 105 * 1000 + i % 105);
}

__global__ void barrier_kernel(int *out) {
  const int t = threadIdx.x;
  const int count = __syncthreads_count(t % 3 == 0);
  const int every = __syncthreads_and(t < 100);
  const int some = __syncthreads_or(t == 5);
  out[t] = count * 4 + every * 2 + some;
}

static void barriers() {
  Buffer<int> out(70);
  barrier_kernel<<<1, 70>>>(out.device);
  out.download();
  for (int t = 0; t < 70; ++t)
    CHECK(out.host[t] == 24 * 4 + 2 + 1);
}

template <typename T, int N>
__device__ T reversed(const T *in, int t) {
  __shared__ T tile[N];
  tile[t] = in[t];
  __syncthreads();
  return tile[N - 1 - t];
}

template <typename T, int N>
__global__ void reverse_kernel(T *out, const T *in) {
  out[threadIdx.x] = reversed<T, N>(in, threadIdx.x);
}

__global__ void dynamic_kernel(float *out) {
  extern __shared__ float4 memory[];
  auto *words = reinterpret_cast<float *>(memory);
  for (int i = threadIdx.x; i < 1000; i += blockDim.x)
    words[i] = static_cast<float>(i);
  __syncthreads();
  if (threadIdx.x < 250) {
    const float4 v = memory[249 - threadIdx.x];
    out[threadIdx.x] = v.x + v.w;
  }
}

static void shared() {
  Buffer<int> in(96);
  Buffer<int> out(96);
  for (int i = 0; i < 96; ++i)
    in.host[i] = i * i;
  in.upload();
  reverse_kernel<int, 96><<<1, 96>>>(out.device, in.device);
  out.download();
  for (int i = 0; i < 96; ++i)
    CHECK(out.host[i] == (95 - i) * (95 - i));

  Buffer<float> sums(250);
  dynamic_kernel<<<1, 256, 1000 * sizeof(float)>>>(sums.device);
  sums.download();
  for (int t = 0; t < 250; ++t)
    CHECK(sums.host[t] == (249 - t) * 8.0f + 3.0f);
}

__global__ void atomic_kernel(int *histogram, float *sum, unsigned long long *largest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&histogram[i % 7], 1);
  atomicAdd(sum, 0.5f);
  atomicMax(largest, static_cast<unsigned long long>(i) * 3);
}

static void atomics() {
  Buffer<int> histogram(7);
  Buffer<float> sum(1);
  Buffer<unsigned long long> largest(1);
  atomic_kernel<<<9, 50>>>(histogram.device, sum.device, largest.device);
  histogram.download();
  sum.download();
  largest.download();
  for (int bin = 0; bin < 7; ++bin)
    CHECK(histogram.host[bin] == 450 / 7 + (bin < 450 % 7 ? 1 : 0));
  CHECK(sum.host[0] == 225.0f);
  CHECK(largest.host[0] == 449 * 3);
}

// The last block to arrive adds what the others left: ordered by the fence and the counter.
__global__ void last_block_kernel(int *total, int *partial, unsigned *arrived) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
    __threadfence();
    last = atomicAdd(arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 1) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
      sum += partial[b];
    *total = sum;
  }
}

static void last_block() {
  Buffer<int> total(1);
  Buffer<int> partial(40);
  Buffer<unsigned> arrived(1);
  last_block_kernel<<<40, 64>>>(total.device, partial.device, arrived.device);
  CHECK(total.download()[0] == 820);
}

// A flag in shared memory passes a value between warps, with fences and no barrier.
__global__ void flag_kernel(int *out) {
  __shared__ int value;
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 42;
    __threadfence_block();
    atomicExch(&flag, 1);
  } else if (threadIdx.x == 32) {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence_block();
    *out = value;
  }
}

static void flag() {
  Buffer<int> out(1);
  flag_kernel<<<1, 64>>>(out.device);
  CHECK(out.download()[0] == 42);
}

__device__ int module_counter = 5;
__constant__ int module_table[4] = {2, 4, 6, 8};

__global__ void module_kernel(int *out) {
  out[threadIdx.x] = module_table[threadIdx.x] + module_counter;
}

static void module_variables() {
  Buffer<int> out(4);
  module_kernel<<<1, 4>>>(out.device);
  out.download();
  for (int i = 0; i < 4; ++i)
    CHECK(out.host[i] == 2 * i + 2 + 5);
}

int main() {
  indices();
  barriers();
  shared();
  atomics();
  last_block();
  flag();
  module_variables();
  return finish("block");
}
