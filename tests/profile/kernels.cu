// kernels.cu: one kernel for each bottleneck that `camp profile` names, and corrected twins. What
// ncu says of them is kept in recorded/, from:
//   nvcc -O3 -std=c++17 -arch=native tests/profile/kernels.cu -o kernels
//   ncu --csv --page raw --print-units base --clock-control none --metrics <camp.profile.metrics>
//       --log-file tests/profile/recorded/kernels.csv ./kernels
#include <cuda_runtime.h>

namespace {

constexpr int kElements = 1 << 24;

__global__ void copy_whole(float4 *y, const float4 *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}

__global__ void copy_scattered(float *y, const float *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[(i & 31) * (kElements / 32) + (i >> 5)];
}

// Reads every element four times, farther apart than any cache holds.
__global__ void sum_again(float *y, const float *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < 4; ++k)
    sum += __ldcv(&x[(i + k * (kElements / 4)) % kElements]);
  y[i] = sum;
}

__global__ void few_blocks(float *y, const float *x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kElements / 16;
       i += gridDim.x * blockDim.x) {
    y[i] = x[i];
  }
}

__global__ void conflicts(float *y) {
  __shared__ float tile[32 * 32];
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < 64; ++k) {
    tile[(t & 31) * 32 + (t >> 5)] = sum + k;
    __syncthreads();
    sum += tile[(t & 31) * 32 + ((t >> 5) ^ 1)];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + t] = sum;
}

__global__ void padded(float *y) {
  __shared__ float tile[32 * 33];
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < 64; ++k) {
    tile[(t & 31) * 33 + (t >> 5)] = sum + k;
    __syncthreads();
    sum += tile[(t & 31) * 33 + ((t >> 5) ^ 1)];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + t] = sum;
}

// One thread of a block works while all others wait at barriers.
__global__ void barriers(float *y) {
  __shared__ float value;
  float sum = 0.0f;
  for (int k = 0; k < 64; ++k) {
    if (threadIdx.x == 0) {
      float v = k;
      for (int j = 0; j < 20; ++j)
        v = __fsqrt_rn(v + j);
      value = v;
    }
    __syncthreads();
    sum += value;
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each thread waits for one load before it asks for the next, with a quarter of the warps.
__global__ void one_at_a_time(float *y, const int *next, int steps) {
  extern __shared__ float unused[];
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < steps; ++k)
    at = next[(at * 1021 + k) & (kElements - 1)];
  y[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void arithmetic(float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = i, b = i + 1, c = i + 2, d = i + 3;
#pragma unroll 8
  for (int k = 0; k < 512; ++k) {
    a = fmaf(a, 1.0001f, b);
    b = fmaf(b, 1.0002f, c);
    c = fmaf(c, 1.0003f, d);
    d = fmaf(d, 1.0004f, a);
  }
  y[i] = a + b + c + d;
}

__global__ void divergent(float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = i;
  for (int k = 0; k < (i & 31) * 32; ++k)
    a = fmaf(a, 1.0001f, 0.5f);
  y[i] = a;
}

__global__ void local_array(float *y, const float *x, int n) {
  float kept[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 64; ++k)
    kept[k] = x[(i + k * 997) & (kElements - 1)];
  float sum = 0.0f;
  for (int k = 0; k < n; ++k)
    sum += kept[(k * 7 + i) & 63];
  y[i] = sum;
}

}  // namespace

int main() {
  float *x = nullptr, *y = nullptr;
  if (cudaMalloc(&x, kElements * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMalloc(&y, kElements * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(x, 0, kElements * sizeof(float));
  copy_whole<<<kElements / 1024, 256>>>(reinterpret_cast<float4 *>(y),
                                        reinterpret_cast<const float4 *>(x));
  copy_scattered<<<kElements / 256, 256>>>(y, x);
  sum_again<<<kElements / 256, 256>>>(y, x);
  few_blocks<<<16, 256>>>(y, x);
  conflicts<<<1024, 1024>>>(y);
  padded<<<1024, 1024>>>(y);
  barriers<<<2048, 512>>>(y);
  one_at_a_time<<<2048, 128, 48 * 1024>>>(y, reinterpret_cast<const int *>(x), 64);
  arithmetic<<<4096, 256>>>(y);
  divergent<<<4096, 256>>>(y);
  local_array<<<1024, 256>>>(y, x, 64);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
