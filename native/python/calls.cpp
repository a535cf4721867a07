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

void *address_of(const nb::dlpack::dltensor &array) {
  return static_cast<char *>(array.data) + array.byte_offset;
}

nb::object tuple_of(const int64_t *values, int32_t count) {
  nb::list list;
  for (int32_t i = 0; i < count; ++i)
    list.append(values[i]);
  return nb::tuple(list);
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

// Looks at an array's memory; false where it is none that operators can take.
bool Calls::look(PyObject *array, nb::dlpack::dltensor &result) const {
  if (reinterpret_cast<PyObject *>(Py_TYPE(array)) != arrays_.type.ptr()) return false;
  if (arrays_.exchange->view(array, &result) != 0) return false;
  const bool known = result.device.device_type == kDlCuda || result.device.device_type == kDlHost;
  return known && result.ndim <= CAMP_MAX_RANK && (result.strides != nullptr || result.ndim == 0);
}

// The same; false as well where the array is more than its memory, or other than it.
bool Calls::view(PyObject *array, nb::dlpack::dltensor &result) const {
  if (!look(array, result)) return false;
  const nb::object grad = nb::steal(PyObject_GetAttr(array, names().requires_grad));
  if (grad.ptr() != Py_False) return false;
  const nb::object negative = nb::steal(PyObject_CallMethodObjArgs(array, names().is_neg, nullptr));
  return negative.ptr() == Py_False;
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

bool Calls::describe(const nb::tuple &arrays, size_t first, const nb::dict &attributes,
                     CallKey &key, Pointers &pointers) const {
  if (arrays.size() + first != vtable_.tensor_count) return false;
  nb::dlpack::dltensor array;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!view(PyTuple_GetItem(arrays.ptr(), static_cast<Py_ssize_t>(i)), array)) return unusual();
    add(key, array);
    pointers[first + i] = address_of(array);
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

bool Calls::describe_new(nb::handle shape, const nb::tuple &inputs, CallKey &key) const {
  if (arrays_.empty.is_none() || inputs.size() == 0) return false;
  PyObject *like = PyTuple_GetItem(inputs.ptr(), 0);
  nb::dlpack::dltensor array;
  if (!look(like, array) || array.device.device_type != kDlCuda) return unusual();
  std::array<int64_t, CAMP_MAX_RANK> extents;
  std::array<int64_t, CAMP_MAX_RANK> strides;
  if (shape.is_none()) {
    std::copy(array.shape, array.shape + array.ndim, extents.begin());
  } else {
    const Py_ssize_t rank = PyTuple_Size(shape.ptr());
    if (rank < 0 || rank > CAMP_MAX_RANK) return unusual();
    for (Py_ssize_t axis = 0; axis < rank; ++axis)
      extents[axis] = PyLong_AsLongLong(PyTuple_GetItem(shape.ptr(), axis));
    if (PyErr_Occurred() != nullptr) return unusual();
    array.ndim = static_cast<int32_t>(rank);
  }
  int64_t step = 1;
  for (size_t axis = static_cast<size_t>(array.ndim); axis-- > 0;) {
    strides[axis] = step;
    step *= std::max<int64_t>(extents[axis], 1);
  }
  array.shape = extents.data();
  array.strides = strides.data();
  add(key, array);
  return true;
}

bool Calls::is_capturing() const {
  return !arrays_.capturing.is_none() && nb::cast<bool>(arrays_.capturing());
}

const Calls::Kept *Calls::find(const CallKey &key) const {
  const auto found = kept_.find(key);
  if (found == kept_.end()) return nullptr;
  // A graph may be launched beside eager calls, and must not share their workspace.
  const bool shared = found->second.prepared->workspace_bytes() == 0 || !is_capturing();
  return shared ? &found->second : nullptr;
}

bool Calls::run(nb::tuple arrays, nb::dict attributes) {
  CallKey key;
  Pointers pointers;
  if (!describe(arrays, 0, attributes, key, pointers)) return false;
  const Kept *kept = find(key);
  if (kept == nullptr) return false;
  const std::shared_ptr<Prepared> prepared = kept->prepared;  // outlives a `keep` meanwhile
  prepared->execute_on(pointers.data());
  return true;
}

nb::object Calls::run_new(nb::handle shape, nb::tuple inputs, nb::dict attributes) {
  CallKey key;
  Pointers pointers;
  if (!describe_new(shape, inputs, key)) return nb::none();
  if (!describe(inputs, 1, attributes, key, pointers)) return nb::none();
  const Kept *found = find(key);
  if (found == nullptr) return nb::none();
  const Kept kept = *found;  // outlives a `keep` meanwhile
  nb::object out = nb::steal(PyObject_CallFunctionObjArgs(
      arrays_.empty.ptr(), kept.shape.ptr(), kept.strides.ptr(), kept.dtype.ptr(), nullptr));
  nb::dlpack::dltensor array;
  if (!out.is_valid() || !look(out.ptr(), array)) {
    PyErr_Clear();
    return nb::none();
  }
  pointers[0] = address_of(array);
  kept.prepared->execute_on(pointers.data());
  return out;
}

void Calls::keep(nb::tuple arrays, nb::dict attributes, const std::shared_ptr<Prepared> &prepared) {
  CallKey key;
  Pointers pointers;
  if (!describe(arrays, 0, attributes, key, pointers)) return;
  if (prepared->workspace_bytes() != 0 && is_capturing()) return;
  nb::object out = arrays[0];
  nb::dlpack::dltensor array;
  if (!look(out.ptr(), array)) {
    (void)unusual();
    return;
  }
  prepared->forget_arrays();
  if (kept_.size() >= most_kept) kept_.clear();
  kept_[key] = {prepared, tuple_of(array.shape, array.ndim), tuple_of(array.strides, array.ndim),
                nb::steal(PyObject_GetAttr(out.ptr(), names().dtype))};
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
