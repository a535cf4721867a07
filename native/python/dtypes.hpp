// dtypes.hpp: the seven dtypes by name and in DLPack's encoding. The runtime's own table lives in a
// library that may not be loaded yet, so the bindings keep this one; a test compares the two.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

#include "errors.hpp"
#include "operator_runtime/dtype.h"

namespace camp::python {

size_t dtype_bytes(camp_dtype_t dtype);
const char *dtype_name(camp_dtype_t dtype);
camp_dtype_t dtype_from_name(const std::string &name);                 // throws StatusError
camp_dtype_t dtype_from_dlpack(const nanobind::dlpack::dtype &dtype);  // throws StatusError
nanobind::dlpack::dtype dlpack_dtype(camp_dtype_t dtype);

}  // namespace camp::python
