// launch_functions.h: launches by function call instead of <<<>>>.
#pragma once

#include <cstddef>

#include "camp_sim/api.h"
#include "camp_sim/launch.h"

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  void *attrs;
  unsigned int numAttrs;  // more than 0, such as clusters, needs a GPU
};

namespace camp_sim {

// Why the launch just made was refused, or cudaSuccess.
CAMP_SIM_API cudaError_t launch_error();

template <typename... Parameters>
CAMP_SIM_NO_SANITIZE cudaError_t launch_function(void (*kernel)(Parameters...),
                                                 const LaunchConfig &config, Site site,
                                                 Parameters... arguments) {
  const auto call = [kernel](const auto &...values) CAMP_SIM_NO_SANITIZE { kernel(values...); };
  launch(KernelSite{"kernel", site.file, site.line}, config, call, arguments...);
  return launch_error();
}
template <typename... Parameters, size_t... I>
CAMP_SIM_NO_SANITIZE cudaError_t launch_unpacked(void (*kernel)(Parameters...),
                                                 const LaunchConfig &config, Site site,
                                                 void **arguments, std::index_sequence<I...>) {
  static_cast<void>(arguments);  // of a kernel without parameters
  return launch_function<Parameters...>(kernel, config, site,
                                        *static_cast<Parameters *>(arguments[I])...);
}

}  // namespace camp_sim

// `arguments`: where each argument lies.
template <typename... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments,
                             size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr,
                             camp_sim::Site site = camp_sim::Site::here()) {
  const auto config = camp_sim::configure(grid, block, dynamic_shared_bytes, stream);
  return camp_sim::launch_unpacked(kernel, config, site, arguments,
                                   std::index_sequence_for<Parameters...>{});
}
// Without its type the sizes of a kernel's arguments are unknown here.
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr)
    __attribute__((error("needs a GPU: cudaLaunchKernel of a pointer without type; pass the kernel "
                         "itself")));

// Arguments convert to the kernel's parameters.
template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                               Arguments &&...arguments) {
  if (config == nullptr) return cudaErrorInvalidValue;
  if (config->numAttrs != 0) return cudaErrorNotSupported;
  const auto launched = camp_sim::configure(config->gridDim, config->blockDim,
                                            config->dynamicSmemBytes, config->stream);
  return camp_sim::launch_function<Parameters...>(kernel, launched, camp_sim::Site{"", 0},
                                                  static_cast<Parameters>(arguments)...);
}
