// elementwise.cuh: y[i] = f(a[i], b[i], ...) for any functor, with broadcast and strides.
//
// An operator brings a functor on float32 and a plan (elementwise_plan.cuh) made at create:
//
//   struct Relu {
//     float negative_slope;
//     __device__ float operator()(float x) const { return x > 0.0f ? x : x * negative_slope; }
//   };
//   camp::launch_elementwise<T>(Relu{slope}, plan, y, {x}, stream);
//
// T is float, __half or __nv_bfloat16; values are converted to float32, and the result is rounded
// once. Three kernels share the work: 16 bytes a thread where everything is contiguous, whatever
// the alignment; 16 bytes a thread along the innermost axis where rows are padded or repeated; else
// one element a thread.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "common/any_phase.cuh"
#include "common/divide.cuh"
#include "common/dtype.cuh"
#include "common/elementwise_plan.cuh"
#include "common/grid.cuh"
#include "common/vector.cuh"

namespace camp {

// The operands of one launch, each at its element of index 0.
template <typename T, int kInputs>
struct Operands {
  T *output;
  const T *input[kInputs];
};

// The extents of a plan, ready to divide by.
template <typename Index>
struct Extents {
  Divider<Index> axis[CAMP_MAX_RANK];
};

namespace detail {

inline constexpr int kElementwiseThreads = 256;

// f of one element of every input, rounded to T.
template <typename T, typename F, int kInputs, size_t... kIndex>
__device__ __forceinline__ T apply(const F &f, const T (&values)[kInputs],
                                   std::index_sequence<kIndex...>) {
  return from_float<T>(f(to_float(values[kIndex])...));
}

// f of vectors, element by element.
template <typename T, typename F, int kInputs, size_t... kIndex>
__device__ __forceinline__ Vector<T> apply(const F &f, const Vector<T> (&values)[kInputs],
                                           std::index_sequence<kIndex...>) {
  Vector<T> result;
#pragma unroll
  for (int k = 0; k < Vector<T>::size; ++k) {
    result.set(k, from_float<T>(f(to_float(values[kIndex].get(k))...)));
  }
  return result;
}

// One element of contiguous operands.
template <typename T, int kInputs, typename F>
__device__ __forceinline__ void apply_at(const F &f, const Operands<T, kInputs> &operands,
                                         int64_t i) {
  T values[kInputs];
#pragma unroll
  for (int t = 0; t < kInputs; ++t) {
    values[t] = operands.input[t][i];
  }
  operands.output[i] = apply<T>(f, values, std::make_index_sequence<kInputs>{});
}

}  // namespace detail

// Contiguous operands: a vector a thread, aligned in the output and anywhere in the inputs, and the
// threads behind them an element of the head or the tail each.
template <typename T, int kInputs, typename F>
__global__ void elementwise_vector_kernel(F f, Operands<T, kInputs> operands, int64_t n,
                                          VectorCut<int64_t> cut) {
  const int64_t thread = grid_thread();
  if (thread < cut.vectors) {
    const int64_t i =
        cut.head + thread * Vector<T>::size;  // its first element: [head, tail - size]
    Vector<T> values[kInputs];
#pragma unroll
    for (int t = 0; t < kInputs; ++t) {
      values[t] = load_any_phase(operands.input[t] + i);
    }
    store_vector(operands.output + i,
                 detail::apply<T>(f, values, std::make_index_sequence<kInputs>{}));
  } else {
    const int64_t i = edge_element(cut, thread);
    if (i < n) detail::apply_at(f, operands, i);
  }
}

// Operands with steps, one item a step: an element, or with kVectors a vector along the innermost
// axis, of which input t has either Vector<T>::size neighbours or, with a step of 0, one element
// for all. The plan counts items. Index holds plan.n plus the threads of the grid.
// Grid constants, for otherwise each thread would copy the arrays to index them.
template <bool kVectors, typename Index, typename T, int kInputs, typename F>
__global__ void elementwise_strided_kernel(F f, Operands<T, kInputs> operands,
                                           const __grid_constant__ ElementwisePlan<kInputs> plan,
                                           const __grid_constant__ Extents<Index> extents) {
  using Item = std::conditional_t<kVectors, Vector<T>, T>;
  const Index n = static_cast<Index>(plan.n);
  const Index threads = static_cast<Index>(grid_threads());
  for (Index item = static_cast<Index>(grid_thread()); item < n; item += threads) {
    int64_t offset[kInputs + 1] = {};
    Index rest = item;
    for (int axis = plan.axes - 1; axis >= 0; --axis) {
      const Index outer = axis == 0 ? 0 : extents.axis[axis].quotient(rest);
      const Index at = rest - outer * static_cast<Index>(plan.extent[axis]);  // [0, extent)
      rest = outer;
#pragma unroll
      for (int t = 0; t <= kInputs; ++t) {
        offset[t] += static_cast<int64_t>(at) * plan.step[t][axis];
      }
    }
    Item values[kInputs];
#pragma unroll
    for (int t = 0; t < kInputs; ++t) {
      const T *address = operands.input[t] + offset[t + 1];
      if constexpr (kVectors) {
        if (plan.step[t + 1][plan.axes - 1] == 0) {
#pragma unroll
          for (int k = 0; k < Vector<T>::size; ++k) {
            values[t].set(k, *address);
          }
        } else {
          values[t] = load_vector(address);
        }
      } else {
        values[t] = *address;
      }
    }
    const Item result = detail::apply<T>(f, values, std::make_index_sequence<kInputs>{});
    if constexpr (kVectors) {
      store_vector(operands.output + offset[0], result);
    } else {
      operands.output[offset[0]] = result;
    }
  }
}

namespace detail {

// Rewrites a plan from elements to vectors along its innermost axis; false where steps, extents or
// addresses do not allow it.
template <typename T, int kInputs>
bool plan_vectors(ElementwisePlan<kInputs> &plan, const Operands<T, kInputs> &operands) {
  constexpr int size = Vector<T>::size;
  const int inner = plan.axes - 1;
  if (plan.extent[inner] % size != 0 || plan.step[0][inner] != 1) return false;
  for (int t = 0; t <= kInputs; ++t) {
    const void *pointer = t == 0 ? operands.output : operands.input[t - 1];
    if (plan.step[t][inner] == 0) continue;  // read by the element
    if (plan.step[t][inner] != 1 || vector_phase(pointer) != 0) return false;
    for (int axis = 0; axis < inner; ++axis) {
      if (plan.step[t][axis] % size != 0) return false;
    }
  }
  for (auto &step : plan.step)
    step[inner] *= size;
  plan.extent[inner] /= size;
  plan.n /= size;
  return true;
}

template <bool kVectors, typename Index, typename T, int kInputs, typename F>
void launch_strided(const F &f, const Operands<T, kInputs> &operands,
                    const ElementwisePlan<kInputs> &plan, cudaStream_t stream) {
  constexpr int threads = kElementwiseThreads;
  Extents<Index> extents;
  for (int axis = 0; axis < plan.axes; ++axis) {
    extents.axis[axis] = Divider<Index>(plan.extent[axis]);
  }
  elementwise_strided_kernel<kVectors, Index, T, kInputs, F>
      <<<blocks_for(plan.n, threads), threads, 0, stream>>>(f, operands, plan, extents);
}

template <bool kVectors, typename T, int kInputs, typename F>
void launch_strided(const F &f, const Operands<T, kInputs> &operands,
                    const ElementwisePlan<kInputs> &plan, cudaStream_t stream) {
  if (plan.n < int64_t{1} << 31) {
    launch_strided<kVectors, uint32_t>(f, operands, plan, stream);
  } else {
    launch_strided<kVectors, uint64_t>(f, operands, plan, stream);
  }
}

}  // namespace detail

// Launches output = f(inputs...) on `stream`, with a plan made from the same tensors; 0 elements
// launch nothing. Pointers need the alignment of one element only.
template <typename T, int kInputs, typename F>
void launch_elementwise(const F &f, const ElementwisePlan<kInputs> &plan, T *output,
                        const T *const (&inputs)[kInputs], cudaStream_t stream) {
  if (plan.n == 0) return;
  constexpr int threads = detail::kElementwiseThreads;
  Operands<T, kInputs> operands{output, {}};
  for (int t = 0; t < kInputs; ++t)
    operands.input[t] = inputs[t];
  ElementwisePlan<kInputs> vectors = plan;
  if (plan.contiguous) {
    const VectorCut<int64_t> cut = cut_for<T, kInputs>(output, inputs, plan.n);
    const unsigned blocks = blocks_for(threads_for(cut, plan.n), threads);
    elementwise_vector_kernel<T, kInputs, F>
        <<<blocks, threads, 0, stream>>>(f, operands, plan.n, cut);
  } else if (detail::plan_vectors(vectors, operands)) {
    detail::launch_strided<true>(f, operands, vectors, stream);
  } else {
    detail::launch_strided<false>(f, operands, plan, stream);
  }
}

}  // namespace camp
