// cudart.hpp: shared by the parts of the CUDA runtime that the simulator stands in for.
#pragma once

#include "camp_sim/api.h"

namespace camp_sim {

// Keeps a failure as this thread's last error; returns `error`.
cudaError_t report(cudaError_t error);

// The fault of a kernel that ran on behalf of this thread, until cudaGetLastError takes it.
cudaError_t pending_fault();

// Whether `stream` is one of the default streams or alive.
bool is_stream(cudaStream_t stream);

}  // namespace camp_sim
