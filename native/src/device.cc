// device.cc: what devices there are.
#include <cstdio>

#include "cuda_status.hpp"

#include "operator_runtime/device.h"
#include "operator_runtime/extension.hpp"

namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  camp::check(cudaDeviceGetAttribute(&value, which, device), "a device attribute");
  return value;
}

// 0 where the driver no longer tells.
int optional_attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, device) == cudaSuccess) return value;
  (void)cudaGetLastError();
  return 0;
}

}  // namespace

const char *camp_backend_name(void) {
#ifdef CAMP_SIM
  return "sim";
#else
  return "nvidia";
#endif
}

camp_status_t camp_device_count(int *count) {
  return camp::guarded([&] {
    if (count == nullptr) return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "count is NULL");
    int found = 0;
    const cudaError_t code = cudaGetDeviceCount(&found);
    const int number = static_cast<int>(code);
    if (camp::status_of(number, CAMP_STATUS_DEVICE_ERROR) == CAMP_STATUS_NO_DEVICE) {
      (void)cudaGetLastError();
      found = 0;
    } else {
      camp::check(code, "the devices cannot be counted");
    }
    *count = found;
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_device_get_info(int device, camp_device_info_t *info) {
  return camp::guarded([&] {
    if (info == nullptr) return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "info is NULL");
    camp::select_device(device);
    cudaDeviceProp properties;
    camp::check(cudaGetDeviceProperties(&properties, device), "the device's properties");
    camp_device_info_t result{};
    std::snprintf(result.name, sizeof result.name, "%.127s", properties.name);
    result.memory_bytes = properties.totalGlobalMem;
    result.compute_major = attribute(cudaDevAttrComputeCapabilityMajor, device);
    result.compute_minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
    result.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
    result.max_threads_per_block = attribute(cudaDevAttrMaxThreadsPerBlock, device);
    result.shared_bytes_per_block =
        static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock, device));
    result.shared_bytes_per_block_optin =
        static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    result.l2_bytes = static_cast<size_t>(attribute(cudaDevAttrL2CacheSize, device));
    result.memory_clock_khz = optional_attribute(cudaDevAttrMemoryClockRate, device);
    result.memory_bus_width_bits = optional_attribute(cudaDevAttrGlobalMemoryBusWidth, device);
    *info = result;
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_device_synchronize(int device) {
  return camp::guarded([&] {
    camp::select_device(device);
    camp::check(cudaDeviceSynchronize(), "waiting for the device");
    return CAMP_STATUS_SUCCESS;
  });
}
