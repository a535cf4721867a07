// 01_naive.cuh: relu, y = x > 0 ? x : x * negative_slope, with broadcast and strides.
//
//   tensor  shape                   dtype   access
//   y       any, any strides        T       written once
//   x       broadcasts to y's       T       read once an element of y
//
// T is float, __half or __nv_bfloat16, computed in float32 and rounded once.
// Thread mapping: thread i takes element i of y in row-major order.
// Bytes moved: 2 * n * sizeof(T) for n contiguous elements, the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap.
// The first step: one kernel for every layout; each thread finds the place of its element with a
// division an axis, which costs more than the relu.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/dtype.cuh"
#include "common/elementwise_plan.cuh"
#include "common/grid.cuh"

// A NaN is not greater than 0, and stays NaN in the product.
template <typename T>
__device__ __forceinline__ T relu(T x, float negative_slope) {
  const float value = camp::to_float(x);
  return camp::from_float<T>(value > 0.0f ? value : value * negative_slope);
}

template <typename T>
__global__ void relu_kernel(T *__restrict__ y, const T *__restrict__ x,
                            const __grid_constant__ camp::ElementwisePlan<1> plan,
                            float negative_slope) {
  const int64_t i = camp::grid_thread();
  if (i >= plan.n) return;
  int64_t rest = i, y_offset = 0, x_offset = 0;
  for (int axis = plan.axes - 1; axis >= 0; --axis) {  // the innermost axis runs fastest
    const int64_t at = rest % plan.extent[axis];
    rest /= plan.extent[axis];
    y_offset += at * plan.step[0][axis];
    x_offset += at * plan.step[1][axis];  // a step of 0 repeats an element
  }
  y[y_offset] = relu(x[x_offset], negative_slope);
}

// Launches relu on `stream` with the plan of y and x; 0 elements launch nothing.
template <typename T>
void launch_relu(T *y, const T *x, const camp::ElementwisePlan<1> &plan, float negative_slope,
                 cudaStream_t stream) {
  if (plan.n == 0) return;  // a grid of 0 blocks is an error
  constexpr int threads = 256;
  relu_kernel<T>
      <<<camp::blocks_for(plan.n, threads), threads, 0, stream>>>(y, x, plan, negative_slope);
}
