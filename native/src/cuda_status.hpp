// cuda_status.hpp: from an error of the device runtime to a status and a message.
#pragma once

#include <cuda_runtime.h>

#include "operator_runtime/status.h"

namespace camp {

// The status of a device runtime error; `otherwise` for those that only their context explains.
camp_status_t status_of(int code, camp_status_t otherwise) noexcept;

// Whether the error stays until the process ends, as after a kernel's fault.
bool is_sticky(int code) noexcept;

// Throws an Error "<what>: <text> (<name>)" unless `code` is success.
void check(cudaError_t code, const char *what);

// Sets the message of an error found after a launch of `op`, and gives its status.
camp_status_t fail_launch(const char *op, int code, const char *name, const char *text) noexcept;

// Throws NO_DEVICE unless `device` exists, and makes it current.
void select_device(int device);

}  // namespace camp
