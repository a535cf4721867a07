// module.cpp: camp._native, the Python extension over the C ABI of the runtime.
#include "bindings.hpp"

NB_MODULE(_native, module) {
  module.doc() = "The C runtime of Camp, loaded at run time: libraries, tensors, operators.";
  module.attr("ABI_VERSION") = CAMP_ABI_VERSION;
  camp::python::register_error_translator();
  camp::python::bind_library(module);
  camp::python::bind_tensor(module);
  camp::python::bind_prepared(module);
  camp::python::bind_calls(module);
  camp::python::bind_operator(module);
}
