// tensor.hpp: one array as the C ABI needs it: pointer, dtype, shape, strides, and who owns it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "operator_runtime/tensor.h"

namespace camp::python {

using Extents = std::array<int64_t, CAMP_MAX_RANK>;

// Where the memory lies, in DLPack's numbering; kUnknown (a bare address) is taken at its word.
enum class Place : int { kUnknown = 0, kHost = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };

struct Tensor {
  void *pointer = nullptr;
  camp_dtype_t dtype = CAMP_DTYPE_F32;
  size_t rank = 0;
  Extents shape{};
  Extents strides{};  // in elements
  Place place = Place::kUnknown;
  int device = 0;
  bool writable = true;
  nanobind::ndarray<nanobind::ro> array;  // keeps a DLPack export alive; empty for an address
  nanobind::object owner;                 // keeps an address alive; may be empty

  // An array with DLPack or the buffer protocol, or a DLPack capsule. `dtype` overrides the
  // array's own: numpy's bfloat16 comes as uint16. `writable` false forbids
  // writing even where the array would let us. Throws StatusError.
  static Tensor from_array(nanobind::handle array, const std::optional<std::string> &dtype,
                           bool writable = true);
  // An address. Without strides the tensor is contiguous. Throws StatusError.
  static Tensor from_pointer(uintptr_t pointer, const std::string &dtype,
                             const std::vector<int64_t> &shape,
                             const std::optional<std::vector<int64_t>> &strides,
                             nanobind::object owner, bool writable,
                             const std::optional<std::string> &place, int device);
  // A Tensor, (pointer, dtype, shape[, strides]), or an array. Throws StatusError.
  static Tensor from_any(nanobind::handle object);
};

}  // namespace camp::python
