// branches.cu: divergence whose numbers can be counted by hand: 64 threads in two warps each.
#include "../programs/check.cuh"

// Every second lane: both warps come to the line, each with 16 lanes.
__global__ void even_lanes(float *x) {
  const int i = threadIdx.x;
  if (i % 2 == 0) {
    x[i] = x[i] * 2.0f + 1.0f;  // count: even_lanes
  }
}

// The same number of threads, but whole warps: one warp comes to the line, with 32 lanes.
__global__ void even_warps(float *x) {
  const int i = threadIdx.x;
  if (i / 32 % 2 == 0) {
    x[i] = x[i] * 2.0f + 1.0f;  // count: even_warps
  }
}

// Lane l goes round l times: a warp makes 31 rounds with 31, 30, ... 1 lanes: 496 of 992.
__global__ void ramp(float *x) {
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < lane; ++k) {
    x[threadIdx.x] += x[threadIdx.x] * 0.5f;  // count: ramp
  }
}

// Every lane goes round 31 times.
__global__ void level(float *x) {
  for (int k = 0; k < 31; ++k) {
    x[threadIdx.x] += x[threadIdx.x] * 0.5f;  // count: level
  }
}

// The first warp keeps 8 lanes past the guard, which is not all. The second loses none.
__global__ void early_exit(float *x) {
  if (threadIdx.x >= 8 && threadIdx.x < 32) return;
  x[threadIdx.x] += 1.0f;
  __syncwarp(threadIdx.x < 32 ? 0xffu : 0xffffffffu);
  if (x[threadIdx.x] > 0.0f) {
    x[threadIdx.x] = 3.0f;  // count: early_exit
  }
}

int main() {
  Buffer<float> x(64, 1.0f);
  even_lanes<<<1, 64>>>(x.device);
  even_warps<<<1, 64>>>(x.device);
  ramp<<<1, 64>>>(x.device);
  level<<<1, 64>>>(x.device);
  early_exit<<<1, 64>>>(x.device);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  return finish("branches");
}
