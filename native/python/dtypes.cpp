// dtypes.cpp: the table behind dtypes.hpp.
#include "dtypes.hpp"

namespace nb = nanobind;

namespace camp::python {
namespace {

struct Row {
  const char *name;
  nb::dlpack::dtype_code code;
  uint8_t bits;
};

// Indexed by camp_dtype_t.
constexpr Row kRows[] = {
    {"f32", nb::dlpack::dtype_code::Float, 32},   {"f16", nb::dlpack::dtype_code::Float, 16},
    {"bf16", nb::dlpack::dtype_code::Bfloat, 16}, {"f64", nb::dlpack::dtype_code::Float, 64},
    {"i32", nb::dlpack::dtype_code::Int, 32},     {"i64", nb::dlpack::dtype_code::Int, 64},
    {"u8", nb::dlpack::dtype_code::UInt, 8},
};
static_assert(sizeof(kRows) / sizeof(kRows[0]) == CAMP_DTYPE_U8 + 1, "one row a dtype");

const char *code_name(uint8_t code) {
  switch (static_cast<nb::dlpack::dtype_code>(code)) {
    case nb::dlpack::dtype_code::Int:
      return "int";
    case nb::dlpack::dtype_code::UInt:
      return "uint";
    case nb::dlpack::dtype_code::Float:
      return "float";
    case nb::dlpack::dtype_code::Bfloat:
      return "bfloat";
    case nb::dlpack::dtype_code::Complex:
      return "complex";
    case nb::dlpack::dtype_code::Bool:
      return "bool";
    default:
      return "DLPack type ";
  }
}

}  // namespace

size_t dtype_bytes(camp_dtype_t dtype) {
  return kRows[dtype].bits / 8u;
}

const char *dtype_name(camp_dtype_t dtype) {
  return kRows[dtype].name;
}

camp_dtype_t dtype_from_name(const std::string &name) {
  for (int i = 0; i <= CAMP_DTYPE_U8; ++i)
    if (name == kRows[i].name) return static_cast<camp_dtype_t>(i);
  throw StatusError(CAMP_STATUS_UNSUPPORTED_DTYPE,
                    "'" + name + "' is no dtype; use f32, f16, bf16, f64, i32, i64 or u8");
}

camp_dtype_t dtype_from_dlpack(const nb::dlpack::dtype &dtype) {
  for (int i = 0; i <= CAMP_DTYPE_U8; ++i) {
    if (dtype.lanes == 1 && dtype.bits == kRows[i].bits &&
        dtype.code == static_cast<uint8_t>(kRows[i].code)) {
      return static_cast<camp_dtype_t>(i);
    }
  }
  throw StatusError(CAMP_STATUS_UNSUPPORTED_DTYPE,
                    "elements of type " + std::string(code_name(dtype.code)) +
                        std::to_string(dtype.bits) +
                        " are not supported; use f32, f16, bf16, f64, i32, i64 or u8");
}

nb::dlpack::dtype dlpack_dtype(camp_dtype_t dtype) {
  return {static_cast<uint8_t>(kRows[dtype].code), kRows[dtype].bits, 1};
}

}  // namespace camp::python
