// cudart.cc: errors of the CUDA runtime that the simulator stands in for.
#include "cudart.hpp"

#include "camp_sim/launch_functions.h"

namespace camp_sim {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct ErrorText {
  cudaError_t error;
  const char *name;
  const char *text;
};
#define CAMP_ERROR(name, text) {name, #name, text}
constexpr ErrorText error_texts[] = {
    CAMP_ERROR(cudaSuccess, "no error"),
    CAMP_ERROR(cudaErrorInvalidValue, "invalid argument"),
    CAMP_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    CAMP_ERROR(cudaErrorInitializationError, "initialization error"),
    CAMP_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    CAMP_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    CAMP_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    CAMP_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    CAMP_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    CAMP_ERROR(cudaErrorInsufficientDriver, "driver too old for the runtime"),
    CAMP_ERROR(cudaErrorMissingConfiguration, "the launch was not configured"),
    CAMP_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    CAMP_ERROR(cudaErrorNoDevice, "no device was found"),
    CAMP_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    CAMP_ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    CAMP_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image for this device"),
    CAMP_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    CAMP_ERROR(cudaErrorIllegalState, "operation not allowed in this state"),
    CAMP_ERROR(cudaErrorNotReady, "device not ready"),
    CAMP_ERROR(cudaErrorIllegalAddress, "an illegal memory access was made"),
    CAMP_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    CAMP_ERROR(cudaErrorLaunchTimeout, "the launch ran out of time"),
    CAMP_ERROR(cudaErrorAssert, "a device-side assertion failed"),
    CAMP_ERROR(cudaErrorHostMemoryAlreadyRegistered, "the host memory is registered already"),
    CAMP_ERROR(cudaErrorHostMemoryNotRegistered, "the host memory is not registered"),
    CAMP_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was met"),
    CAMP_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    CAMP_ERROR(cudaErrorLaunchFailure, "the launch failed"),
    CAMP_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in a cooperative launch"),
    CAMP_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    CAMP_ERROR(cudaErrorNotSupported, "operation not supported"),
    CAMP_ERROR(cudaErrorStreamCaptureUnsupported,
               "operation not permitted while a stream captures"),
    CAMP_ERROR(cudaErrorStreamCaptureInvalidated,
               "a call in between cannot be part of what a stream captures"),
    CAMP_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef CAMP_ERROR

const ErrorText *find(cudaError_t error) {
  for (const ErrorText &entry : error_texts) {
    if (entry.error == error) return &entry;
  }
  return nullptr;
}

}  // namespace

cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

// Work has finished when the call that asked for it returns, so all that a synchronisation can
// still tell is that a kernel failed while running. A refused launch is cudaGetLastError's to tell.
cudaError_t pending_fault() {
  switch (last_error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
      return last_error;
    default:
      return cudaSuccess;
  }
}

// A kernel that failed while it ran is told later, as hardware does.
cudaError_t launch_error() {
  return pending_fault() == cudaSuccess ? last_error : cudaSuccess;
}

void set_last_error(int cuda_error) {
  report(static_cast<cudaError_t>(cuda_error));
}

}  // namespace camp_sim

cudaError_t cudaGetLastError() {
  const cudaError_t error = camp_sim::last_error;
  camp_sim::last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  return camp_sim::last_error;
}

const char *cudaGetErrorName(cudaError_t error) {
  const auto *entry = camp_sim::find(error);
  return entry != nullptr ? entry->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  const auto *entry = camp_sim::find(error);
  return entry != nullptr ? entry->text : "unrecognized error code";
}
