// kernel_names.hpp: what a kernel is called in reports.
#pragma once

#include <string>

namespace camp_sim {

// Called by a worker before its first block of a launch: the first lane to enter the kernel sets
// Launch::kernel.
void expect_kernel_name();

// The function that a local class is defined in, without return type and parameters:
// "k<float, 4>"; "" when the name cannot be read.
std::string enclosing_function(const char *mangled_local_type);

}  // namespace camp_sim
