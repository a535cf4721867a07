// A relu in which neighbouring lanes go different ways, and one in which they go together. For
// contiguous tensors; both write all of y.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/dtype.cuh"
#include "common/elementwise_plan.cuh"

template <typename T>
__device__ __noinline__ T positive(T x) {
  return x;
}

template <typename T>
__device__ __noinline__ T scaled(T x, float slope) {
  return camp::from_float<T>(camp::to_float(x) * slope);
}

template <typename T>
__global__ void divergent_relu(T *y, const T *x, int64_t n, float slope) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (camp::to_float(x[i]) > 0.0f) {
    y[i] = positive(x[i]);
  } else {
    y[i] = scaled(x[i], slope);  // divergent
  }
}

template <typename T>
__global__ void select_relu(T *y, const T *x, int64_t n, float slope) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T value = x[i];
  y[i] = scaled(value, camp::to_float(value) > 0.0f ? 1.0f : slope);
}

template <typename T>
void launch_relu(T *y, const T *x, const camp::ElementwisePlan<1> &plan, float negative_slope,
                 cudaStream_t stream) {
  if (plan.n == 0) return;
  constexpr int threads = 256;
  const unsigned blocks = static_cast<unsigned>((plan.n + threads - 1) / threads);
  divergent_relu<T><<<blocks, threads, 0, stream>>>(y, x, plan.n, negative_slope);
  select_relu<T><<<blocks, threads, 0, stream>>>(y, x, plan.n, negative_slope);
}
