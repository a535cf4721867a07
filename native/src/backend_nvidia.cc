// backend_nvidia.cc: what surrounds an execute on a GPU, where the driver checks the launch alone.
#include <cuda_runtime.h>

#include "backend.hpp"
#include "cuda_status.hpp"

#include "operator_runtime/extension.hpp"

namespace camp::backend {
namespace {

thread_local const char *running = "";

}  // namespace

void begin(const char *operator_name, const Binding *, size_t) {
  running = operator_name;
  (void)cudaGetLastError();  // an error left by others is not this launch's
}

camp_status_t finish() {
  const cudaError_t code = cudaGetLastError();
  return code == cudaSuccess ? CAMP_STATUS_SUCCESS
                             : fail_launch(running, static_cast<int>(code), cudaGetErrorName(code),
                                           cudaGetErrorString(code));
}

}  // namespace camp::backend
