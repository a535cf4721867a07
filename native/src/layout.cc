// layout.cc: tensor layouts, their overflow checks, and the checks operators make of them.
#include "layout.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>

namespace camp {
namespace {

// a * b and a + b of values >= 0, within int64; INT64_MAX bytes is more than any device holds.
int64_t multiply(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) {
    throw_error(CAMP_STATUS_OVERFLOW, "%" PRId64 " x %" PRId64 " leaves 64 bits", a, b);
  }
  return result;
}

int64_t add(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) {
    throw_error(CAMP_STATUS_OVERFLOW, "%" PRId64 " + %" PRId64 " leaves 64 bits", a, b);
  }
  return result;
}

void copy_axes(Layout &layout, const int64_t *shape, const int64_t *strides) {
  for (size_t axis = 0; axis < layout.rank; ++axis) {
    if (shape[axis] < 0) {
      throw_error(CAMP_STATUS_INVALID_ARGUMENT, "extent %" PRId64 " of axis %zu is negative",
                  shape[axis], axis);
    }
    layout.shape[axis] = shape[axis];
    if (strides == nullptr) continue;
    if (strides[axis] < 0) {
      throw_error(CAMP_STATUS_INVALID_ARGUMENT, "stride %" PRId64 " of axis %zu is negative",
                  strides[axis], axis);
    }
    layout.strides[axis] = strides[axis];
  }
}

}  // namespace

Layout make_layout(int dtype, size_t rank, const int64_t *shape, const int64_t *strides) {
  Layout layout{};
  if (dtype < CAMP_DTYPE_F32 || dtype > CAMP_DTYPE_U8) {
    throw_error(CAMP_STATUS_UNSUPPORTED_DTYPE, "%d is no dtype", dtype);
  }
  layout.dtype = static_cast<camp_dtype_t>(dtype);
  layout.element_bytes = camp_dtype_bytes(layout.dtype);
  if (rank > CAMP_MAX_RANK) {
    throw_error(CAMP_STATUS_INVALID_ARGUMENT, "rank %zu is more than %d", rank, CAMP_MAX_RANK);
  }
  layout.rank = rank;
  if (rank != 0 && shape == nullptr) {
    throw_error(CAMP_STATUS_INVALID_ARGUMENT, "shape is NULL for rank %zu", rank);
  }
  copy_axes(layout, shape, strides);

  // Empty axes count as 1 here, so that the strides of an empty tensor are in range too.
  int64_t contiguous_stride = 1;
  layout.elements = 1;
  layout.contiguous = true;
  for (size_t axis = rank; axis-- > 0;) {
    if (strides == nullptr) layout.strides[axis] = contiguous_stride;
    if (layout.shape[axis] != 1 && layout.strides[axis] != contiguous_stride) {
      layout.contiguous = false;
    }
    contiguous_stride = multiply(contiguous_stride, std::max<int64_t>(layout.shape[axis], 1));
    layout.elements = layout.elements * (layout.shape[axis] == 0 ? 0 : 1);
  }
  layout.elements *= contiguous_stride;
  const int64_t element_bytes = static_cast<int64_t>(layout.element_bytes);
  (void)multiply(contiguous_stride, element_bytes);  // copies of it must be possible too

  if (layout.elements == 0) {
    layout.contiguous = true;
    return layout;
  }
  int64_t span = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    span = add(span, multiply(layout.shape[axis] - 1, layout.strides[axis]));
  }
  layout.extent_bytes = multiply(span, element_bytes);
  return layout;
}

bool addresses_once(const Layout &layout) noexcept {
  size_t axes[CAMP_MAX_RANK];  // those of more than one element, by rising stride
  size_t count = 0;
  for (size_t axis = 0; axis < layout.rank; ++axis) {
    if (layout.shape[axis] == 0) return true;
    if (layout.shape[axis] == 1) continue;
    size_t place = count++;
    for (; place > 0 && layout.strides[axes[place - 1]] > layout.strides[axis]; --place) {
      axes[place] = axes[place - 1];
    }
    axes[place] = axis;
  }
  int64_t span = 1;  // elements from first to past the last of the axes seen; cannot overflow here
  for (size_t i = 0; i < count; ++i) {
    if (layout.strides[axes[i]] < span) return false;
    span += (layout.shape[axes[i]] - 1) * layout.strides[axes[i]];
  }
  return true;
}

ShapeText shape_text(const Tensor &tensor) {
  ShapeText shape = {};
  size_t used = 0;
  shape.text[used++] = '(';
  for (size_t axis = 0; axis < tensor.rank(); ++axis) {
    used +=
        static_cast<size_t>(std::snprintf(shape.text + used, sizeof shape.text - used, "%s%" PRId64,
                                          axis == 0 ? "" : ", ", tensor.shape(axis)));
  }
  shape.text[used] = ')';
  return shape;
}

void require_dtype(const Tensor &tensor, std::initializer_list<camp_dtype_t> allowed) {
  std::string names;
  for (const camp_dtype_t dtype : allowed) {
    if (dtype == tensor.dtype()) return;
    if (!names.empty()) names += ", ";
    names += camp_dtype_name(dtype);
  }
  throw_error(CAMP_STATUS_UNSUPPORTED_DTYPE, "%s is %s, which is not one of %s", tensor.name(),
              camp_dtype_name(tensor.dtype()), names.c_str());
}

void require_same_dtype(const Tensor &a, const Tensor &b) {
  if (a.dtype() == b.dtype()) return;
  throw_error(CAMP_STATUS_UNSUPPORTED_DTYPE, "%s is %s but %s is %s", a.name(),
              camp_dtype_name(a.dtype()), b.name(), camp_dtype_name(b.dtype()));
}

void require_same_shape(const Tensor &a, const Tensor &b) {
  bool same = a.rank() == b.rank();
  for (size_t axis = 0; same && axis < a.rank(); ++axis)
    same = a.shape(axis) == b.shape(axis);
  if (same) return;
  throw_error(CAMP_STATUS_SHAPE_MISMATCH, "%s has shape %s but %s has shape %s", a.name(),
              shape_text(a).c_str(), b.name(), shape_text(b).c_str());
}

void require_rank(const Tensor &tensor, size_t minimum, size_t maximum) {
  if (tensor.rank() >= minimum && tensor.rank() <= maximum) return;
  throw_error(CAMP_STATUS_SHAPE_MISMATCH, "%s has %zu axes; %zu to %zu are taken", tensor.name(),
              tensor.rank(), minimum, maximum);
}

void require_contiguous(const Tensor &tensor) {
  if (tensor.is_contiguous()) return;
  throw_error(CAMP_STATUS_UNSUPPORTED_LAYOUT, "%s of shape %s is not row-major contiguous",
              tensor.name(), shape_text(tensor).c_str());
}

}  // namespace camp
