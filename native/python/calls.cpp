// calls.cpp: finds the operator of an eager call by what the call's arguments look like.
//
// An eager call of a GPU library is over in the time of a few attribute look-ups of Python, so
// those are made here, one by one, and nothing else is. Whatever they find that is unusual is left
// to the careful way through camp.runtime, which also words the errors.
#include "calls.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cstring>

namespace nb = nanobind;

namespace camp::python {
namespace {

// A stream or a shape that never comes again must not hold its operator for ever.
constexpr size_t most_kept = 256;

// Names of attributes, made once and never freed: as constants of the module.
PyObject *name(const char *text) {
  return PyUnicode_InternFromString(text);
}
struct Names {
  PyObject *requires_grad = name("requires_grad");
  PyObject *is_neg = name("is_neg");
  PyObject *dtype = name("dtype");
};
const Names &names() {
  static const Names *const all = new Names;
  return *all;
}

bool integer(PyObject *value, int64_t *result) {
  *result = PyLong_AsLongLong(value);
  return *result != -1 || PyErr_Occurred() == nullptr;
}

constexpr int32_t kDlCuda = static_cast<int32_t>(Place::kCuda);
constexpr int32_t kDlHost = static_cast<int32_t>(Place::kHost);

void add(CallKey &key, const nb::dlpack::dltensor &array) {
  key.add(array.dtype.code | array.dtype.bits << 8 | array.dtype.lanes << 16);
  key.add(int64_t{array.device.device_type} << 32 | static_cast<uint32_t>(array.device.device_id));
  key.add(array.ndim);
  for (int32_t axis = 0; axis < array.ndim; ++axis) {
    key.add(array.shape[axis]);
    key.add(array.strides[axis]);
  }
}

// An unusual argument may have left an exception, which is the careful way's to raise again.
bool unusual() {
  PyErr_Clear();
  return false;
}

}  // namespace

bool CallKey::operator==(const CallKey &other) const {
  return count == other.count &&
         std::equal(words.begin(), words.begin() + count, other.words.begin());
}

size_t CallKeyHash::operator()(const CallKey &key) const {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < key.count; ++i) {
    hash = (hash ^ static_cast<uint64_t>(key.words[i])) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

Calls::Calls(const camp_operator_vtable_t &vtable, ArrayLibrary arrays)
    : vtable_(vtable), arrays_(std::move(arrays)) {
  for (size_t i = 0; i < vtable_.attribute_count; ++i)
    attribute_names_[i] = nb::steal(name(vtable_.attributes[i].name));
}

// Looks at an array; false where it is not as plain as its memory.
bool Calls::view(PyObject *array, nb::dlpack::dltensor &result) const {
  if (reinterpret_cast<PyObject *>(Py_TYPE(array)) != arrays_.type.ptr()) return false;
  const nb::object grad = nb::steal(PyObject_GetAttr(array, names().requires_grad));
  if (grad.ptr() != Py_False) return false;
  const nb::object negative = nb::steal(PyObject_CallMethodObjArgs(array, names().is_neg, nullptr));
  if (negative.ptr() != Py_False) return false;
  if (arrays_.exchange->view(array, &result) != 0) return false;
  const bool known = result.device.device_type == kDlCuda || result.device.device_type == kDlHost;
  return known && result.ndim <= CAMP_MAX_RANK && (result.strides != nullptr || result.ndim == 0);
}

bool Calls::describe_attributes(const nb::dict &attributes, CallKey &key) const {
  size_t found = 0;
  for (size_t i = 0; i < vtable_.attribute_count; ++i) {
    PyObject *given = PyDict_GetItem(attributes.ptr(), attribute_names_[i].ptr());  // borrowed
    camp_attribute_value_t value = vtable_.attributes[i].default_value;
    if (given != nullptr) {
      ++found;
      if (vtable_.attributes[i].type != CAMP_ATTRIBUTE_F64) {
        if (!PyLong_CheckExact(given) || !integer(given, &value.i64)) return false;
      } else if (PyFloat_CheckExact(given) || PyLong_CheckExact(given)) {
        value.f64 = PyFloat_AsDouble(given);
        if (value.f64 == -1.0 && PyErr_Occurred() != nullptr) return false;
      } else {
        return false;
      }
    }
    int64_t word;
    std::memcpy(&word, &value, sizeof word);
    key.add(word);
  }
  return found == attributes.size();
}

bool Calls::describe(const nb::tuple &arrays, const nb::dict &attributes, CallKey &key,
                     Pointers &pointers) const {
  if (arrays.size() != vtable_.tensor_count) return false;
  nb::dlpack::dltensor array;
  for (size_t i = 0; i < vtable_.tensor_count; ++i) {
    if (!view(PyTuple_GetItem(arrays.ptr(), static_cast<Py_ssize_t>(i)), array)) return unusual();
    add(key, array);
    pointers[i] = static_cast<char *>(array.data) + array.byte_offset;
  }
  if (!describe_attributes(attributes, key)) return unusual();
  void *stream = nullptr;
  const auto &device = array.device;  // of the last; the others are in the key
  if (device.device_type == kDlCuda &&
      arrays_.exchange->current_stream(device.device_type, device.device_id, &stream) != 0) {
    return unusual();
  }
  key.add(static_cast<int64_t>(reinterpret_cast<intptr_t>(stream)));
  return true;
}

bool Calls::is_capturing() const {
  return !arrays_.capturing.is_none() && nb::cast<bool>(arrays_.capturing());
}

bool Calls::run(nb::tuple arrays, nb::dict attributes) {
  CallKey key;
  Pointers pointers;
  if (!describe(arrays, attributes, key, pointers)) return false;
  const auto found = kept_.find(key);
  if (found == kept_.end()) return false;
  const std::shared_ptr<Prepared> prepared = found->second;  // outlives a `keep` of another thread
  // A graph may be launched beside eager calls, and must not share their workspace.
  if (prepared->workspace_bytes() != 0 && is_capturing()) return false;
  prepared->execute_on(pointers.data());
  return true;
}

nb::object Calls::new_array(nb::handle shape, const nb::tuple &inputs) const {
  if (arrays_.empty.is_none() || inputs.size() == 0) return nb::object();
  PyObject *like = PyTuple_GetItem(inputs.ptr(), 0);
  nb::dlpack::dltensor first;
  if (!view(like, first) || first.device.device_type != kDlCuda) return nb::object();
  int64_t extents[CAMP_MAX_RANK];
  Py_ssize_t rank = first.ndim;
  if (!shape.is_none()) rank = PyTuple_Size(shape.ptr());
  if (rank < 0 || rank > CAMP_MAX_RANK) return nb::object();
  for (Py_ssize_t axis = 0; axis < rank; ++axis) {
    extents[axis] =
        shape.is_none() ? first.shape[axis] : PyLong_AsLongLong(PyTuple_GetItem(shape.ptr(), axis));
  }
  if (PyErr_Occurred() != nullptr) return nb::object();
  const nb::object sizes = nb::steal(PyTuple_New(rank));
  const nb::object strides = nb::steal(PyTuple_New(rank));
  int64_t step = 1;
  for (Py_ssize_t axis = rank; axis-- > 0;) {
    PyTuple_SetItem(sizes.ptr(), axis, PyLong_FromLongLong(extents[axis]));
    PyTuple_SetItem(strides.ptr(), axis, PyLong_FromLongLong(step));
    step *= std::max<int64_t>(extents[axis], 1);
  }
  const nb::object dtype = nb::steal(PyObject_GetAttr(like, names().dtype));
  return nb::steal(PyObject_CallFunctionObjArgs(arrays_.empty.ptr(), sizes.ptr(), strides.ptr(),
                                                dtype.ptr(), nullptr));
}

nb::object Calls::run_new(nb::handle shape, nb::tuple inputs, nb::dict attributes) {
  nb::object out = new_array(shape, inputs);
  if (!out.is_valid()) {
    PyErr_Clear();
    return nb::none();
  }
  const size_t count = inputs.size();
  const nb::object arrays = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(count + 1)));
  PyTuple_SetItem(arrays.ptr(), 0, out.inc_ref().ptr());
  for (size_t i = 0; i < count; ++i) {
    nb::object input = nb::borrow(PyTuple_GetItem(inputs.ptr(), static_cast<Py_ssize_t>(i)));
    PyTuple_SetItem(arrays.ptr(), static_cast<Py_ssize_t>(i + 1), input.release().ptr());
  }
  return run(nb::borrow<nb::tuple>(arrays), std::move(attributes)) ? out : nb::none();
}

void Calls::keep(nb::tuple arrays, nb::dict attributes, const std::shared_ptr<Prepared> &prepared) {
  CallKey key;
  Pointers pointers;
  if (!describe(arrays, attributes, key, pointers)) return;
  if (prepared->workspace_bytes() != 0 && is_capturing()) return;
  prepared->forget_arrays();
  if (kept_.size() >= most_kept) kept_.clear();
  kept_[key] = prepared;
}

void bind_calls(nb::module_ &module) {
  nb::class_<Calls>(
      module, "Calls",
      "Operators made for eager calls, kept for the next call of the same kind: equal "
      "dtypes,\nshapes, strides, device, stream and attributes.")
      .def("run", &Calls::run, nb::arg("arrays"), nb::arg("attributes"),
           nb::sig(
               "def run(self, arrays: tuple[object, ...], attributes: dict[str, float]) -> bool"),
           "Runs the call with a kept operator; false when there is none, or anything about an\n"
           "argument is out of the ordinary. Raises what a Prepared raises.")
      .def(
          "run_new", &Calls::run_new, nb::arg("shape").none(), nb::arg("inputs"),
          nb::arg("attributes"),
          nb::sig("def run_new(self, shape: tuple[int, ...] | None, inputs: tuple[object, ...], "
                  "attributes: dict[str, float]) -> object | None"),
          "`run` into a new contiguous array of `shape` (None: that of the first input), which it\n"
          "returns; None where `run` is false or no new array can be made here.")
      .def("keep", &Calls::keep, nb::arg("arrays"), nb::arg("attributes"), nb::arg("prepared"),
           nb::sig("def keep(self, arrays: tuple[object, ...], attributes: dict[str, float], "
                   "prepared: Prepared) -> None"),
           "Keeps `prepared`, made for this call, for `run` alone: nobody else may call it again.")
      .def("__len__", &Calls::size, "Operators kept, at most 256.");
}

}  // namespace camp::python
