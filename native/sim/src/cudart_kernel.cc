// cudart_kernel.cc: attributes of kernels and occupancy.
#include <algorithm>

#include "cudart.hpp"
#include "kernel_facts.hpp"

namespace camp_sim {
namespace {

int attribute(cudaDeviceAttr name) {
  int value = 0;
  cudaDeviceGetAttribute(&value, name, 0);
  return value;
}

int blocks_that_fit(int block_size, size_t shared_bytes) {
  const int warp = DeviceModel::warp_size;
  const int threads = (block_size + warp - 1) / warp * warp;
  const size_t shared = static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const size_t reserved = static_cast<size_t>(attribute(cudaDevAttrReservedSharedMemoryPerBlock));
  const int by_threads = DeviceModel::max_threads_per_multiprocessor / threads;
  const int by_shared = static_cast<int>(shared / (shared_bytes + reserved));
  return std::min({by_threads, by_shared, attribute(cudaDevAttrMaxBlocksPerMultiprocessor)});
}

}  // namespace
}  // namespace camp_sim

using camp_sim::DeviceModel;
using camp_sim::report;

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value) {
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: {
      const size_t fixed = camp_sim::facts_of(kernel).static_shared_bytes;
      if (value < 0 || static_cast<size_t>(value) + fixed > DeviceModel::shared_bytes_optin) {
        return report(cudaErrorInvalidValue);
      }
      camp_sim::opt_in(kernel, static_cast<size_t>(value));
      return cudaSuccess;
    }
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      return report(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
  }
  return report(cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel) {
  if (attributes == nullptr) return report(cudaErrorInvalidValue);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  const camp_sim::KernelFacts facts = camp_sim::facts_of(kernel);
  *attributes = cudaFuncAttributes{};
  attributes->sharedSizeBytes = facts.static_shared_bytes;
  attributes->maxThreadsPerBlock = facts.max_threads;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(facts.dynamic_shared_limit);
  attributes->preferredShmemCarveout = -1;
  attributes->ptxVersion = 90;
  attributes->binaryVersion = 90;
  return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel, cudaFuncCache) {
  return report(kernel != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int block_size,
                                                          size_t dynamic_shared_bytes) {
  if (blocks == nullptr || block_size <= 0) return report(cudaErrorInvalidValue);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  const camp_sim::KernelFacts facts = camp_sim::facts_of(kernel);
  const size_t shared = facts.static_shared_bytes + dynamic_shared_bytes;
  const bool fits = block_size <= DeviceModel::max_threads_per_block &&
                    dynamic_shared_bytes <= facts.dynamic_shared_limit;
  *blocks = fits ? camp_sim::blocks_that_fit(block_size, shared) : 0;
  return cudaSuccess;
}

cudaError_t camp_sim::best_block_size(int *min_grid_size, int *block_size, const void *kernel,
                                      size_t (*dynamic_bytes)(const void *context, int block_size),
                                      const void *context, int block_size_limit) {
  if (min_grid_size == nullptr || block_size == nullptr) return report(cudaErrorInvalidValue);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  const int most = facts_of(kernel).max_threads;
  const int limit = block_size_limit > 0 ? std::min(block_size_limit, most) : most;
  int most_threads = 0;
  *min_grid_size = *block_size = 0;
  for (int size = limit; size > 0; size -= DeviceModel::warp_size) {
    int blocks = 0;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, kernel, size, dynamic_bytes(context, size));
    if (error != cudaSuccess) return error;
    if (blocks * size <= most_threads) continue;
    most_threads = blocks * size;
    *block_size = size;
    *min_grid_size = blocks * DeviceModel::multiprocessors;
  }
  return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks,
                                                      int block_size) {
  if (bytes == nullptr || blocks <= 0 || block_size <= 0) return report(cudaErrorInvalidValue);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  const camp_sim::KernelFacts facts = camp_sim::facts_of(kernel);
  const auto shared =
      static_cast<size_t>(camp_sim::attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const auto reserved =
      static_cast<size_t>(camp_sim::attribute(cudaDevAttrReservedSharedMemoryPerBlock));
  const size_t share = shared / static_cast<size_t>(blocks);
  const size_t taken = facts.static_shared_bytes + reserved;
  *bytes = std::min(share > taken ? share - taken : 0, facts.dynamic_shared_limit);
  return cudaSuccess;
}
