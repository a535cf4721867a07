// cudart_device.cc: the one device of the CUDA runtime that the simulator stands in for.
#include <unistd.h>

#include <cstdio>

#include "cudart.hpp"

namespace camp_sim {
namespace {

constexpr int compute_major = 9;
constexpr int compute_minor = 0;
constexpr int registers = 65536;
constexpr int blocks_per_multiprocessor = 32;
constexpr size_t reserved_shared_bytes = 1024;
constexpr size_t shared_bytes_per_multiprocessor = 228 * 1024;
constexpr size_t constant_bytes = 64 * 1024;
constexpr size_t l2_bytes = size_t{50} * 1024 * 1024;
constexpr int runtime_version = 12000;

size_t host_bytes(int name) {
  const long pages = sysconf(name), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(page) : 0;
}

}  // namespace
}  // namespace camp_sim

using camp_sim::DeviceModel;
using camp_sim::report;

cudaError_t cudaGetDeviceCount(int *count) {
  if (count == nullptr) return report(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  if (device == nullptr) return report(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return report(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize() {
  return camp_sim::pending_fault();
}

cudaError_t cudaDeviceReset() {
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned int) {
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
  return cudaRuntimeGetVersion(version);
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  if (version == nullptr) return report(cudaErrorInvalidValue);
  *version = camp_sim::runtime_version;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return report(cudaErrorInvalidValue);
  *free_bytes = camp_sim::host_bytes(_SC_AVPHYS_PAGES);
  *total_bytes = camp_sim::host_bytes(_SC_PHYS_PAGES);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  if (properties == nullptr) return report(cudaErrorInvalidValue);
  if (device != 0) return report(cudaErrorInvalidDevice);
  *properties = cudaDeviceProp{};
  cudaDeviceProp &p = *properties;
  std::snprintf(p.name, sizeof p.name, "Camp simulator");
  p.totalGlobalMem = camp_sim::host_bytes(_SC_PHYS_PAGES);
  p.sharedMemPerBlock = DeviceModel::static_shared_bytes;
  p.sharedMemPerBlockOptin = DeviceModel::shared_bytes_optin;
  p.sharedMemPerMultiprocessor = camp_sim::shared_bytes_per_multiprocessor;
  p.reservedSharedMemPerBlock = camp_sim::reserved_shared_bytes;
  p.regsPerBlock = camp_sim::registers;
  p.regsPerMultiprocessor = camp_sim::registers;
  p.warpSize = DeviceModel::warp_size;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = DeviceModel::max_threads_per_block;
  p.maxThreadsPerMultiProcessor = DeviceModel::max_threads_per_multiprocessor;
  p.maxBlocksPerMultiProcessor = camp_sim::blocks_per_multiprocessor;
  for (int i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = static_cast<int>(DeviceModel::max_block_dim[i]);
    p.maxGridSize[i] = static_cast<int>(DeviceModel::max_grid_dim[i]);
  }
  p.totalConstMem = camp_sim::constant_bytes;
  p.major = camp_sim::compute_major;
  p.minor = camp_sim::compute_minor;
  p.textureAlignment = 512;
  p.multiProcessorCount = DeviceModel::multiprocessors;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.asyncEngineCount = 1;
  p.unifiedAddressing = 1;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.l2CacheSize = static_cast<int>(camp_sim::l2_bytes);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  if (value == nullptr) return report(cudaErrorInvalidValue);
  cudaDeviceProp p;
  const cudaError_t error = cudaGetDeviceProperties(&p, device);
  if (error != cudaSuccess) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = p.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxBlockDimX:
      *value = p.maxThreadsDim[0];
      break;
    case cudaDevAttrMaxBlockDimY:
      *value = p.maxThreadsDim[1];
      break;
    case cudaDevAttrMaxBlockDimZ:
      *value = p.maxThreadsDim[2];
      break;
    case cudaDevAttrMaxGridDimX:
      *value = p.maxGridSize[0];
      break;
    case cudaDevAttrMaxGridDimY:
      *value = p.maxGridSize[1];
      break;
    case cudaDevAttrMaxGridDimZ:
      *value = p.maxGridSize[2];
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(p.sharedMemPerBlock);
      break;
    case cudaDevAttrTotalConstantMemory:
      *value = static_cast<int>(p.totalConstMem);
      break;
    case cudaDevAttrWarpSize:
      *value = p.warpSize;
      break;
    case cudaDevAttrMaxPitch:
      *value = static_cast<int>(p.memPitch);
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = p.regsPerBlock;
      break;
    case cudaDevAttrTextureAlignment:
      *value = static_cast<int>(p.textureAlignment);
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = p.multiProcessorCount;
      break;
    case cudaDevAttrCanMapHostMemory:
      *value = p.canMapHostMemory;
      break;
    case cudaDevAttrConcurrentKernels:
      *value = p.concurrentKernels;
      break;
    case cudaDevAttrL2CacheSize:
      *value = p.l2CacheSize;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = p.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrAsyncEngineCount:
      *value = p.asyncEngineCount;
      break;
    case cudaDevAttrUnifiedAddressing:
      *value = p.unifiedAddressing;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = p.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = p.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(p.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = p.regsPerMultiprocessor;
      break;
    case cudaDevAttrManagedMemory:
      *value = p.managedMemory;
      break;
    case cudaDevAttrConcurrentManagedAccess:
      *value = p.concurrentManagedAccess;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(p.sharedMemPerBlockOptin);
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = p.maxBlocksPerMultiProcessor;
      break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      *value = static_cast<int>(p.reservedSharedMemPerBlock);
      break;
    case cudaDevAttrMemoryPoolsSupported:
      *value = 1;
      break;
    // No clock, no bus, no texture or cooperative launch: 0.
    case cudaDevAttrClockRate:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrMemoryClockRate:
    case cudaDevAttrGlobalMemoryBusWidth:
    case cudaDevAttrCooperativeLaunch:
      *value = 0;
      break;
    default:
      return report(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}
