// 03_vectors.cuh: relu, y = x > 0 ? x : x * negative_slope, with broadcast and strides.
//
//   tensor  shape                   dtype   access
//   y       any, any strides        T       written once
//   x       broadcasts to y's       T       read once an element of y
//
// T is float, __half or __nv_bfloat16, computed in float32 and rounded once.
// Thread mapping: contiguous tensors of one phase, a vector of 16 bytes a thread, and an element of
// head and tail; all others, thread i takes element i of y in row-major order.
// Bytes moved: 2 * n * sizeof(T) for n contiguous elements, the least possible.
// Preconditions: x and y are aligned to sizeof(T), and only to that; they do not overlap.
// Since 02_contiguous: 16 bytes an access, and 32-bit divisions where the number of elements allows
// it; it is faster because a quarter of the requests, or fewer, moves the same bytes, and a 32-bit
// division takes a fraction of the instructions.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/dtype.cuh"
#include "common/elementwise_plan.cuh"
#include "common/grid.cuh"
#include "common/vector.cuh"

// A NaN is not greater than 0, and stays NaN in the product.
template <typename T>
__device__ __forceinline__ T relu(T x, float negative_slope) {
  const float value = camp::to_float(x);
  return camp::from_float<T>(value > 0.0f ? value : value * negative_slope);
}

// n contiguous elements. x and y have the same phase (address mod 16).
template <typename T>
__global__ void relu_vector_kernel(T *__restrict__ y, const T *__restrict__ x, int64_t n,
                                   float negative_slope) {
  constexpr int size = camp::Vector<T>::size;  // elements a vector: 4 or 8
  const camp::VectorCut<int64_t> cut = camp::cut_at_vectors<size>(y, n);
  const int64_t thread = camp::grid_thread();
  if (thread < cut.vectors) {
    const int64_t i = cut.head + thread * size;  // first element of the vector: [head, tail - size]
    camp::Vector<T> vector = camp::load_vector(x + i);
#pragma unroll
    for (int k = 0; k < size; ++k) {
      vector.set(k, relu(vector.get(k), negative_slope));
    }
    camp::store_vector(y + i, vector);
  }
  // Head and tail hold fewer than 8 elements each, so one block has a thread for each of them.
  if (thread < cut.head) y[thread] = relu(x[thread], negative_slope);
  const int64_t last = cut.tail + thread;
  if (last < n) y[last] = relu(x[last], negative_slope);
}

// Any layout, with a division an axis. Index holds plan.n plus the threads of a block.
template <typename Index, typename T>
__global__ void relu_strided_kernel(T *__restrict__ y, const T *__restrict__ x,
                                    const __grid_constant__ camp::ElementwisePlan<1> plan,
                                    float negative_slope) {
  const Index i = static_cast<Index>(camp::grid_thread());
  if (i >= static_cast<Index>(plan.n)) return;
  Index rest = i;
  int64_t y_offset = 0, x_offset = 0;
  for (int axis = plan.axes - 1; axis >= 0; --axis) {  // the innermost axis runs fastest
    const Index extent = static_cast<Index>(plan.extent[axis]);
    const int64_t at = static_cast<int64_t>(rest % extent);
    rest /= extent;
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
  const unsigned blocks = camp::blocks_for(plan.n, threads);
  if (plan.contiguous && camp::same_vector_phase(x, y)) {
    // + 1: enough threads for the head and the tail when there is no whole vector.
    const unsigned fewer = camp::blocks_for(plan.n / camp::Vector<T>::size + 1, threads);
    relu_vector_kernel<T><<<fewer, threads, 0, stream>>>(y, x, plan.n, negative_slope);
  } else if (plan.n < int64_t{1} << 31) {
    relu_strided_kernel<uint32_t><<<blocks, threads, 0, stream>>>(y, x, plan, negative_slope);
  } else {
    relu_strided_kernel<uint64_t><<<blocks, threads, 0, stream>>>(y, x, plan, negative_slope);
  }
}
