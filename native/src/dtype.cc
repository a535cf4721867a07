// dtype.cc: sizes and names of the element types.
#include "operator_runtime/dtype.h"

#include "raw_enum.hpp"

namespace {

struct Entry {
  const char *name;
  size_t bytes;
};
// Indexed by camp_dtype_t.
constexpr Entry entries[] = {{"f32", 4}, {"f16", 2}, {"bf16", 2}, {"f64", 8},
                             {"i32", 4}, {"i64", 8}, {"u8", 1}};
static_assert(sizeof entries / sizeof *entries == CAMP_DTYPE_U8 + 1, "a dtype without an entry");

const Entry *find(const camp_dtype_t &dtype) {
  const int value = camp::raw(dtype);
  return value >= 0 && value <= CAMP_DTYPE_U8 ? &entries[value] : nullptr;
}

}  // namespace

size_t camp_dtype_bytes(camp_dtype_t dtype) {
  const Entry *entry = find(dtype);
  return entry == nullptr ? 0 : entry->bytes;
}

const char *camp_dtype_name(camp_dtype_t dtype) {
  const Entry *entry = find(dtype);
  return entry == nullptr ? "?" : entry->name;
}
