// limits.hpp: what a launch may ask of the simulated GPU.
#pragma once

#include <cstddef>
#include <string>

#include "camp_sim/launch.h"
#include "kernel_facts.hpp"

namespace camp_sim {

// Values of cudaError_t, as in the CUDA runtime's documentation.
constexpr int error_invalid_value = 1;
constexpr int error_memory_allocation = 2;
constexpr int error_launch_failure = 719;

// Reports a launch that never runs and sets the last error. Returns false.
bool refuse_launch(const KernelSite &site, int error, std::string message, std::string advice);

// Whether grid, block and dynamic shared memory are within the limits of every kernel; reports what
// is not.
bool check_limits(const KernelSite &site, const LaunchConfig &config);

// Whether they are within those of this kernel; the same.
bool check_kernel(const KernelSite &site, const LaunchConfig &config, const KernelFacts &facts);

// Bytes of static and dynamic shared memory together that a block of this kernel may have.
size_t shared_limit(const KernelFacts &facts);

}  // namespace camp_sim
