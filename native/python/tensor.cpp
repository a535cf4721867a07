// tensor.cpp: makes a Tensor of a numpy array, a DLPack export or a bare address.
#include "tensor.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "dtypes.hpp"

namespace nb = nanobind;

namespace camp::python {
namespace {

void check_rank(size_t rank) {
  if (rank > CAMP_MAX_RANK) {
    throw StatusError(CAMP_STATUS_SHAPE_MISMATCH, "an array of rank " + std::to_string(rank) +
                                                      ": at most " + std::to_string(CAMP_MAX_RANK) +
                                                      " axes are supported");
  }
}

void set_contiguous_strides(Tensor &tensor) {
  int64_t step = 1;
  for (size_t axis = tensor.rank; axis-- > 0;) {
    tensor.strides[axis] = step;
    // An overflow is reported when the descriptor is created; here it must only not be undefined.
    if (__builtin_mul_overflow(step, tensor.shape[axis], &step)) step = 0;
  }
}

Place place_from_name(const std::string &name) {
  if (name == "host") return Place::kHost;
  if (name == "cuda") return Place::kCuda;
  throw invalid_argument("'" + name + "' is no place; use host or cuda");
}

nb::tuple shape_of(const Tensor &tensor) {
  nb::list list;
  for (size_t axis = 0; axis < tensor.rank; ++axis)
    list.append(tensor.shape[axis]);
  return nb::tuple(list);
}

nb::tuple strides_of(const Tensor &tensor) {
  nb::list list;
  for (size_t axis = 0; axis < tensor.rank; ++axis)
    list.append(tensor.strides[axis]);
  return nb::tuple(list);
}

}  // namespace

Tensor Tensor::from_array(nb::handle object, const std::optional<std::string> &dtype,
                          bool may_write) {
  Tensor tensor;
  // Writable first: only a failure tells a read-only array from a writable one.
  nb::ndarray<> mutable_array;
  if (nb::try_cast(object, mutable_array, false)) {
    tensor.array = nb::ndarray<nb::ro>(mutable_array);
    tensor.writable = may_write;
  } else if (nb::try_cast(object, tensor.array, false)) {
    tensor.writable = false;
  } else {
    throw StatusError(CAMP_STATUS_UNSUPPORTED_DTYPE,
                      "a " + std::string(nb::type_name(object.type()).c_str()) +
                          " is no array that Camp can read in place");
  }
  const nb::ndarray<nb::ro> &array = tensor.array;
  check_rank(array.ndim());
  tensor.rank = array.ndim();
  for (size_t axis = 0; axis < tensor.rank; ++axis) {
    tensor.shape[axis] = array.shape_ptr()[axis];
    tensor.strides[axis] = array.stride(axis);
  }
  tensor.pointer = const_cast<void *>(array.data());
  tensor.place = static_cast<Place>(array.device_type());
  tensor.device = array.device_id();
  tensor.dtype = dtype ? dtype_from_name(*dtype) : dtype_from_dlpack(array.dtype());
  if (dtype_bytes(tensor.dtype) * 8 != array.dtype().bits) {
    throw StatusError(
        CAMP_STATUS_UNSUPPORTED_DTYPE,
        "elements of " + std::to_string(array.dtype().bits) + " bits are no " + *dtype);
  }
  return tensor;
}

Tensor Tensor::from_pointer(uintptr_t pointer, const std::string &dtype,
                            const std::vector<int64_t> &shape,
                            const std::optional<std::vector<int64_t>> &strides, nb::object owner,
                            bool writable, const std::optional<std::string> &place, int device) {
  Tensor tensor;
  tensor.pointer = reinterpret_cast<void *>(pointer);
  tensor.dtype = dtype_from_name(dtype);
  check_rank(shape.size());
  tensor.rank = shape.size();
  for (size_t axis = 0; axis < tensor.rank; ++axis)
    tensor.shape[axis] = shape[axis];
  if (!strides) {
    set_contiguous_strides(tensor);
  } else if (strides->size() != shape.size()) {
    throw StatusError(CAMP_STATUS_SHAPE_MISMATCH, "strides and shape differ in length");
  } else {
    for (size_t axis = 0; axis < tensor.rank; ++axis)
      tensor.strides[axis] = (*strides)[axis];
  }
  tensor.owner = std::move(owner);
  tensor.writable = writable;
  tensor.place = place ? place_from_name(*place) : Place::kUnknown;
  tensor.device = device;
  return tensor;
}

Tensor Tensor::from_any(nb::handle object) {
  Tensor *tensor = nullptr;
  if (nb::try_cast(object, tensor, false) && tensor != nullptr) return *tensor;
  if (!nb::isinstance<nb::tuple>(object)) return from_array(object, std::nullopt);
  nb::tuple parts = nb::borrow<nb::tuple>(object);
  if (parts.size() != 3 && parts.size() != 4) {
    throw invalid_argument("a tensor given as a tuple is (pointer, dtype, shape[, strides])");
  }
  std::optional<std::vector<int64_t>> strides;
  if (parts.size() == 4 && !parts[3].is_none()) strides = nb::cast<std::vector<int64_t>>(parts[3]);
  return from_pointer(nb::cast<uintptr_t>(parts[0]), nb::cast<std::string>(parts[1]),
                      nb::cast<std::vector<int64_t>>(parts[2]), strides, nb::object(), true,
                      std::nullopt, 0);
}

void bind_tensor(nb::module_ &module) {
  nb::class_<Tensor>(module, "Tensor",
                     "An array seen in place: address, dtype, shape, and a reference to its owner.")
      .def(
          "__init__",
          [](Tensor *self, nb::handle array, const std::optional<std::string> &dtype,
             bool writable) { new (self) Tensor(Tensor::from_array(array, dtype, writable)); },
          nb::arg("array"), nb::arg("dtype") = nb::none(), nb::arg("writable") = true,
          nb::sig("def __init__(self, array: object, dtype: str | None = None, "
                  "writable: bool = True) -> None"),
          "Looks at an array with DLPack or the buffer protocol, or at a DLPack capsule.\n\n"
          "`dtype` (\"f32\", \"bf16\", ...) overrides the array's own of the same size; with\n"
          "`writable` false the array cannot be an output, even if it could be written to.\n"
          "Raises DTypeError for what is no such array, ShapeError for more than 8 axes.")
      .def_static(
          "from_pointer", &Tensor::from_pointer, nb::arg("pointer"), nb::arg("dtype"),
          nb::arg("shape"), nb::arg("strides") = nb::none(), nb::arg("owner") = nb::none(),
          nb::arg("writable") = true, nb::arg("place") = nb::none(), nb::arg("device") = 0,
          nb::sig(
              "def from_pointer(pointer: int, dtype: str, shape: collections.abc.Sequence[int], "
              "strides: collections.abc.Sequence[int] | None = None, owner: object | None = None, "
              "writable: bool = True, place: str | None = None, device: int = 0) "
              "-> Tensor"),
          "Describes memory at an address.\n\n"
          "`strides` count elements (None: contiguous); `owner` is kept alive. `place` is "
          "\"host\",\n\"cuda\" (then `device` counts), or None: not checked.")
      .def_prop_ro("pointer",
                   [](const Tensor &t) { return reinterpret_cast<uintptr_t>(t.pointer); })
      .def_prop_ro("dtype", [](const Tensor &t) { return dtype_name(t.dtype); })
      .def_prop_ro("shape", shape_of, nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro("strides", strides_of, nb::sig("def strides(self) -> tuple[int, ...]"),
                   "Steps in elements.")
      .def_prop_ro("writable", [](const Tensor &t) { return t.writable; });
}

}  // namespace camp::python
