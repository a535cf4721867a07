// launch.cu: what a launch costs the host at least, and the caches as they were found.
#include <cuda_runtime.h>

#include <chrono>

#include "camp_bench.h"

namespace {

__global__ void nothing_kernel() {}

cudaError_t time_launches(int launches, cudaStream_t stream, double *microseconds) {
  void *no_arguments[] = {nullptr};
  const void *kernel = reinterpret_cast<const void *>(nothing_kernel);
  // The first launch loads the module.
  cudaError_t status = cudaLaunchKernel(kernel, 1, 32, no_arguments, 0, stream);
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches && status == cudaSuccess; ++i) {
    status = cudaLaunchKernel(kernel, 1, 32, no_arguments, 0, stream);
  }
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  *microseconds = launches > 0 ? spent.count() / launches : 0.0;
  return status == cudaSuccess ? cudaStreamSynchronize(stream) : status;
}

}  // namespace

int camp_bench_launch_floor(int launches, void *stream, double *microseconds) {
  return time_launches(launches, static_cast<cudaStream_t>(stream), microseconds);
}

int camp_bench_reset_l2(void *stream) {
  cudaLaunchAttributeValue window = {};
  window.accessPolicyWindow.hitProp = cudaAccessPropertyNormal;
  window.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
  cudaError_t status = cudaStreamSetAttribute(static_cast<cudaStream_t>(stream),
                                              cudaLaunchAttributeAccessPolicyWindow, &window);
  if (status == cudaSuccess) status = cudaCtxResetPersistingL2Cache();
  // Devices before sm_80 have neither.
  if (status == cudaErrorNotSupported || status == cudaErrorInvalidValue) {
    (void)cudaGetLastError();
    status = cudaSuccess;
  }
  return status;
}
