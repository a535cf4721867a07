// elementwise_plan.cuh: the host side of elementwise.cuh: shapes and strides, made as simple as
// they can be before a kernel sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "operator_runtime/extension.hpp"

namespace camp {

// What an elementwise kernel needs to know of the shapes: `axes` axes, outermost first, each with a
// step in elements for the output and for every input (0 where the input repeats).
template <int kInputs>
struct ElementwisePlan {
  int64_t n = 0;            // elements of the output
  int axes = 0;             // [1, CAMP_MAX_RANK]
  bool contiguous = false;  // one axis, and every step is 1
  int64_t extent[CAMP_MAX_RANK] = {};
  int64_t step[kInputs + 1][CAMP_MAX_RANK] = {};  // [0]: the output, [1 + i]: input i
};

namespace detail {

// The step of `input` along `axis` of the output: axes align from the right, missing axes and
// extents of 1 repeat. Throws SHAPE_MISMATCH where that is impossible.
inline int64_t broadcast_step(const Tensor &output, const Tensor &input, size_t axis) {
  const size_t missing = output.rank() - input.rank();
  if (axis < missing) return 0;
  const int64_t extent = input.shape(axis - missing);
  if (extent == output.shape(axis)) return extent == 1 ? 0 : input.stride(axis - missing);
  if (extent == 1) return 0;
  throw_error(CAMP_STATUS_SHAPE_MISMATCH, "%s of shape %s does not broadcast to %s of shape %s",
              input.name(), shape_text(input).c_str(), output.name(), shape_text(output).c_str());
}

// Swaps two axes of a plan.
template <int kInputs>
void swap_axes(ElementwisePlan<kInputs> &plan, int a, int b) {
  std::swap(plan.extent[a], plan.extent[b]);
  for (auto &step : plan.step)
    std::swap(step[a], step[b]);
}

// Whether axes a and a + 1 walk memory as one axis would, in every tensor.
template <int kInputs>
bool can_merge(const ElementwisePlan<kInputs> &plan, int a) {
  for (const auto &step : plan.step) {
    if (step[a] != step[a + 1] * plan.extent[a + 1]) return false;
  }
  return true;
}

}  // namespace detail

// Plans output[i] = f(inputs[i] ...). Axes are sorted by the output's strides, so that neighbouring
// threads write neighbouring elements, and axes that walk memory as one are merged.
//
// Throws SHAPE_MISMATCH where an input does not broadcast to the output, and UNSUPPORTED_LAYOUT
// where two elements of the output might share an address (strides must be those of a row-major
// array with its axes permuted or its rows padded).
template <int kInputs>
ElementwisePlan<kInputs> plan_elementwise(const Tensor &output, const Tensor (&inputs)[kInputs]) {
  ElementwisePlan<kInputs> plan;
  plan.n = output.elements();
  for (const Tensor &input : inputs) {
    if (input.rank() > output.rank()) {
      throw_error(CAMP_STATUS_SHAPE_MISMATCH, "%s has rank %zu, more than %s with rank %zu",
                  input.name(), input.rank(), output.name(), output.rank());
    }
  }
  for (size_t axis = 0; axis < output.rank(); ++axis) {
    int64_t step[kInputs + 1] = {output.stride(axis)};
    for (int i = 0; i < kInputs; ++i) {
      step[i + 1] = detail::broadcast_step(output, inputs[i], axis);
    }
    if (output.shape(axis) == 1) continue;  // an axis of one element moves nothing
    plan.extent[plan.axes] = output.shape(axis);
    for (int t = 0; t <= kInputs; ++t)
      plan.step[t][plan.axes] = step[t];
    // Insertion sort: the largest step of the output comes first.
    for (int a = plan.axes++; a > 0 && plan.step[0][a - 1] < plan.step[0][a]; --a) {
      detail::swap_axes(plan, a - 1, a);
    }
  }
  if (plan.n == 0) return plan;
  int64_t span = 1;  // elements from the first to past the last one of the inner axes
  for (int a = plan.axes - 1; a >= 0; --a) {
    if (plan.step[0][a] < span) {
      throw_error(CAMP_STATUS_UNSUPPORTED_LAYOUT,
                  "elements of the output %s may share an address: a stride of %lld inside a span "
                  "of %lld elements",
                  output.name(), static_cast<long long>(plan.step[0][a]),
                  static_cast<long long>(span));
    }
    span += plan.step[0][a] * (plan.extent[a] - 1);
  }
  for (int a = plan.axes - 2; a >= 0; --a) {
    if (!detail::can_merge(plan, a)) continue;
    // Axis a takes over the steps of axis a + 1; the axes behind move up.
    plan.extent[a] *= plan.extent[a + 1];
    for (auto &step : plan.step)
      step[a] = step[a + 1];
    for (int b = a + 1; b + 1 < plan.axes; ++b)
      detail::swap_axes(plan, b, b + 1);
    --plan.axes;
  }
  if (plan.axes == 0) {  // a single element
    plan.axes = 1;
    plan.extent[0] = 1;
    for (auto &step : plan.step)
      step[0] = 1;
  }
  plan.contiguous = plan.axes == 1;
  for (const auto &step : plan.step)
    plan.contiguous = plan.contiguous && step[0] == 1;
  return plan;
}

}  // namespace camp
