// bindings.hpp: what each file of the module adds to it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "library.hpp"

namespace camp::python {

// Classes that Python holds share one owner with C++: an operator keeps its library alive.
using LibraryPointer = std::shared_ptr<Library>;

void bind_library(nanobind::module_ &module);
void bind_tensor(nanobind::module_ &module);
void bind_operator(nanobind::module_ &module);
void bind_prepared(nanobind::module_ &module);
void bind_calls(nanobind::module_ &module);

}  // namespace camp::python
