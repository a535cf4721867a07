// layout.hpp: from a caller's shape and strides to a checked Layout, and the descriptor that holds
// one.
#pragma once

#include "object_table.hpp"

#include "operator_runtime/extension.hpp"

namespace camp {

// Throws an Error (INVALID_ARGUMENT, UNSUPPORTED_DTYPE, OVERFLOW) for what cannot be described.
// dtype: a camp_dtype_t, or whatever a C caller passed as one. strides null: row-major contiguous.
Layout make_layout(int dtype, size_t rank, const int64_t *shape, const int64_t *strides);

// Whether no two indices of the tensor share an element, judged by nested axes: each axis steps
// over all that the axes of smaller stride span.
bool addresses_once(const Layout &layout) noexcept;

struct TensorDescriptor : objects::Object {
  static constexpr objects::Kind kind = objects::Kind::tensor;
  explicit TensorDescriptor(const Layout &l) : layout(l) {}
  Layout layout;
};

}  // namespace camp
