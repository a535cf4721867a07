// calls.hpp: operators that were made for one eager call, kept for the next of the same kind.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "exchange.hpp"
#include "prepared.hpp"

namespace camp::python {

// An array library that shows its arrays by DLPack's table of C functions.
struct ArrayLibrary {
  const ExchangeApi *exchange;
  nanobind::object type;       // arrays of exactly this type
  nanobind::object capturing;  // capturing() -> whether the current stream records; or None
  nanobind::object empty;      // empty(shape, strides, dtype) on a GPU, if it has only one; or None
};

// What an operator captured at create, as words: arrays by dtype, device, shape and strides, and
// the stream and attributes. Two calls with equal keys are served by one operator.
struct CallKey {
  static constexpr size_t capacity =
      1 + CAMP_MAX_ATTRIBUTES + CAMP_MAX_TENSORS * (3 + 2 * CAMP_MAX_RANK);
  size_t count = 0;
  std::array<int64_t, capacity> words;

  void add(int64_t word) { words[count++] = word; }
  bool operator==(const CallKey &other) const;
};
struct CallKeyHash {
  size_t operator()(const CallKey &key) const;
};

// The kept operators of one operator's eager calls. Used with the GIL held, which the call itself
// releases.
class Calls {
 public:
  Calls(const camp_operator_vtable_t &vtable, ArrayLibrary arrays);

  // Runs the call with a kept operator; false when there is none or anything is out of the ordinary
  // about an argument. Throws what executing throws.
  bool run(nanobind::tuple arrays, nanobind::dict attributes);
  // The same into a new contiguous array of `shape` (None: that of the first input), which it
  // returns; None where `run` is false.
  nanobind::object run_new(nanobind::handle shape, nanobind::tuple inputs,
                           nanobind::dict attributes);
  // Keeps `prepared`, made for this call and already run, without its arrays: it serves `run` alone
  // from here on.
  void keep(nanobind::tuple arrays, nanobind::dict attributes,
            const std::shared_ptr<Prepared> &prepared);
  size_t size() const { return kept_.size(); }

 private:
  using Pointers = std::array<void *, CAMP_MAX_TENSORS>;

  // What is kept for one key: the operator, and what `empty` is asked for its output.
  struct Kept {
    std::shared_ptr<Prepared> prepared;
    nanobind::object shape;
    nanobind::object strides;
    nanobind::object dtype;
  };

  bool look(PyObject *array, nanobind::dlpack::dltensor &result) const;
  bool view(PyObject *array, nanobind::dlpack::dltensor &result) const;
  // Completes a key; `arrays` are the operator's tensors from number `first` on.
  bool describe(const nanobind::tuple &arrays, size_t first, const nanobind::dict &attributes,
                CallKey &key, Pointers &pointers) const;
  // Begins a key with a new contiguous output on a GPU; false where `empty` makes none.
  bool describe_new(nanobind::handle shape, const nanobind::tuple &inputs, CallKey &key) const;
  // What serves the key now, or null.
  const Kept *find(const CallKey &key) const;
  bool describe_attributes(const nanobind::dict &attributes, CallKey &key) const;
  bool is_capturing() const;

  const camp_operator_vtable_t &vtable_;
  ArrayLibrary arrays_;
  std::array<nanobind::object, CAMP_MAX_ATTRIBUTES> attribute_names_;
  std::unordered_map<CallKey, Kept, CallKeyHash> kept_;
};

}  // namespace camp::python
