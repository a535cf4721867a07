// atomics.cu: what each atomic function stores and returns, alone and from many threads.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "program.cuh"

// Each line: memory before, the call, what it returns, memory after.
template <typename T>
__global__ void alone_kernel(T *cells, T *returned) {
  returned[0] = atomicAdd(&cells[0], T(5));
  returned[1] = atomicExch(&cells[1], T(9));
}
template <typename T>
__global__ void ordered_kernel(T *cells, T *returned) {
  returned[0] = atomicMin(&cells[0], T(7));
  returned[1] = atomicMin(&cells[1], T(30));
  returned[2] = atomicMax(&cells[2], T(7));
  returned[3] = atomicMax(&cells[3], T(30));
}
template <typename T>
__global__ void bits_kernel(T *cells, T *returned) {
  returned[0] = atomicAnd(&cells[0], T(6));
  returned[1] = atomicOr(&cells[1], T(6));
  returned[2] = atomicXor(&cells[2], T(6));
  returned[3] = atomicCAS(&cells[3], T(12), T(50));
  returned[4] = atomicCAS(&cells[4], T(13), T(50));
}
template <typename T>
__global__ void scoped_kernel(T *cells, T *returned) {
  returned[0] = atomicAdd_block(&cells[0], T(5));
  returned[1] = atomicAdd_system(&cells[1], T(5));
}

template <typename T, typename Kernel>
static void expect(Kernel kernel, int count, T before, const int *after) {
  Shared<T> cells(8), returned(8);
  for (int i = 0; i < count; ++i)
    cells[size_t(i)] = before;
  kernel<<<1, 1>>>(cells.data, returned.data);
  wait();
  for (int i = 0; i < count; ++i) {
    CHECK(returned[size_t(i)] == before);
    CHECK(cells[size_t(i)] == static_cast<T>(after[i]));
  }
}

template <typename T>
static void arithmetic() {
  const int alone[] = {17, 9}, scoped[] = {17, 17};
  expect<T>(alone_kernel<T>, 2, T(12), alone);
  expect<T>(scoped_kernel<T>, 2, T(12), scoped);
}
template <typename T>
static void ordered() {
  const int after[] = {7, 12, 12, 30};
  expect<T>(ordered_kernel<T>, 4, T(12), after);
}
template <typename T>
static void bits() {
  const int after[] = {4, 14, 10, 50, 12};
  expect<T>(bits_kernel<T>, 5, T(12), after);
}

__global__ void wrap_kernel(unsigned *cells, unsigned *returned, int *negative) {
  returned[0] = atomicInc(&cells[0], 3);   // 2 -> 3
  returned[1] = atomicInc(&cells[0], 3);   // 3 -> 0
  returned[2] = atomicDec(&cells[1], 9);   // 1 -> 0
  returned[3] = atomicDec(&cells[1], 9);   // 0 -> 9
  returned[4] = atomicDec(&cells[2], 9);   // 20 is above 9 -> 9
  returned[5] = atomicSub(&cells[3], 1u);  // 0 -> all ones
  returned[6] = static_cast<unsigned>(atomicMin(negative, -4));
}

static void wrapping() {
  Shared<unsigned> cells(4), returned(8);
  Shared<int> negative(1);
  cells[0] = 2;
  cells[1] = 1;
  cells[2] = 20;
  negative[0] = 3;
  wrap_kernel<<<1, 1>>>(cells.data, returned.data, negative.data);
  wait();
  const unsigned expected[] = {2, 3, 1, 0, 20, 0, 3};
  for (size_t i = 0; i < 7; ++i)
    CHECK(returned[i] == expected[i]);
  CHECK(cells[0] == 0 && cells[1] == 9 && cells[2] == 9 && cells[3] == 0xffffffffu);
  CHECK(negative[0] == -4);
}

// Counts in 16 bits reach 2048 and 256 exactly, so that every addition is exact.
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
static void counted() {
  Shared<T> total(1), in_shared(4);
  count_kernel<T><<<4, 64>>>(total.data, in_shared.data);
  wait();
  CHECK(static_cast<float>(total[0]) == 256.0f);
  for (size_t i = 0; i < 4; ++i)
    CHECK(static_cast<float>(in_shared[i]) == 64.0f);
}

__global__ void pair_kernel(__half2 *halves, __nv_bfloat162 *bfloats, float2 *two, float4 *four) {
  atomicAdd(halves, __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(bfloats, __floats2bfloat162_rn(1.0f, 2.0f));
  atomicAdd(two, make_float2(1.0f, 2.0f));
  atomicAdd(four, make_float4(1.0f, 2.0f, 3.0f, 4.0f));
}
static void pairs() {
  Shared<__half2> halves(1);
  Shared<__nv_bfloat162> bfloats(1);
  Shared<float2> two(1);
  Shared<float4> four(1);
  pair_kernel<<<2, 32>>>(halves.data, bfloats.data, two.data, four.data);
  wait();
  CHECK(__low2float(halves[0]) == 64.0f && __high2float(halves[0]) == 128.0f);
  CHECK(__low2float(bfloats[0]) == 64.0f && __high2float(bfloats[0]) == 128.0f);
  CHECK(two[0].x == 64.0f && two[0].y == 128.0f);
  CHECK(four[0].x == 64.0f && four[0].y == 128.0f && four[0].z == 192.0f && four[0].w == 256.0f);
}

// A lock made of atomicCAS and atomicExch: no increment of the plain counter is lost.
__global__ void lock_kernel(unsigned short *word, int *lock, int *plain) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      ++*plain;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
  if (threadIdx.x == 0) {
    atomicCAS(word, static_cast<unsigned short>(0), static_cast<unsigned short>(77));
  }
}
static void locked() {
  Shared<int> lock(1), plain(1);
  Shared<unsigned short> word(1);
  lock_kernel<<<8, 1>>>(word.data, lock.data, plain.data);
  wait();
  CHECK(plain[0] == 8 && lock[0] == 0 && word[0] == 77);
}

int main() {
  arithmetic<int>();
  arithmetic<unsigned>();
  arithmetic<unsigned long long>();
  arithmetic<float>();
  ordered<int>();
  ordered<unsigned>();
  ordered<long long>();
  ordered<unsigned long long>();
  bits<int>();
  bits<unsigned>();
  bits<unsigned long long>();
  wrapping();
  counted<int>();
  counted<unsigned>();
  counted<unsigned long long>();
  counted<float>();
  counted<double>();
  counted<__half>();
  counted<__nv_bfloat16>();
  pairs();
  locked();
  return finish();
}
