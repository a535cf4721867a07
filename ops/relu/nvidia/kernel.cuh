// kernel.cuh: relu, y[i] = x[i] > 0 ? x[i] : x[i] * negative_slope, with broadcast and strides.
//
//   tensor  shape                   dtype   access
//   y       any, any strides        T       written once
//   x       broadcasts to y's       T       read once an element of y
//
// T is float, __half or __nv_bfloat16, computed in float32 and rounded once.
// Thread mapping: common/elementwise.cuh; 16 bytes a thread where the layout allows it.
// Bytes moved: 2 * n * sizeof(T) for n contiguous elements, the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap.
#pragma once

#include <cuda_runtime.h>

#include "common/elementwise.cuh"

// A NaN is not greater than 0, and stays NaN in the product; fmaxf would have dropped it.
struct Relu {
  float negative_slope;
  __device__ float operator()(float x) const { return x > 0.0f ? x : x * negative_slope; }
};

// Launches relu on `stream` with the plan of y and x; 0 elements launch nothing.
template <typename T>
void launch_relu(T *y, const T *x, const camp::ElementwisePlan<1> &plan, float negative_slope,
                 cudaStream_t stream) {
  camp::launch_elementwise<T>(Relu{negative_slope}, plan, y, {x}, stream);
}
