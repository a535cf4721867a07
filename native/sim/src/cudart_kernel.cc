// cudart_kernel.cc: attributes of kernels and occupancy.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "cudart.hpp"

namespace camp_sim {
namespace {

std::mutex limits_mutex;

// Dynamic shared bytes that each kernel opted in to.
std::unordered_map<const void *, int> &limits() {
  static auto *const instance = new std::unordered_map<const void *, int>;
  return *instance;
}

int limit_of(const void *kernel) {
  const std::lock_guard<std::mutex> lock(limits_mutex);
  const auto found = limits().find(kernel);
  return found != limits().end() ? found->second
                                 : static_cast<int>(DeviceModel::dynamic_shared_bytes_default);
}

int attribute(cudaDeviceAttr name) {
  int value = 0;
  cudaDeviceGetAttribute(&value, name, 0);
  return value;
}

int blocks_that_fit(int block_size, size_t dynamic_shared_bytes) {
  const int warp = DeviceModel::warp_size;
  const int threads = (block_size + warp - 1) / warp * warp;
  const size_t shared = static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const size_t reserved = static_cast<size_t>(attribute(cudaDevAttrReservedSharedMemoryPerBlock));
  const int by_threads = DeviceModel::max_threads_per_multiprocessor / threads;
  const int by_shared = static_cast<int>(shared / (dynamic_shared_bytes + reserved));
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
      if (value < 0 || static_cast<size_t>(value) > DeviceModel::shared_bytes_optin) {
        return report(cudaErrorInvalidValue);
      }
      const std::lock_guard<std::mutex> lock(camp_sim::limits_mutex);
      camp_sim::limits()[kernel] = value;
      camp_sim::set_dynamic_shared_limit(kernel, static_cast<size_t>(value));
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
  *attributes = cudaFuncAttributes{};
  attributes->maxThreadsPerBlock = DeviceModel::max_threads_per_block;
  attributes->maxDynamicSharedSizeBytes = camp_sim::limit_of(kernel);
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
  const bool fits = block_size <= DeviceModel::max_threads_per_block &&
                    dynamic_shared_bytes <= static_cast<size_t>(camp_sim::limit_of(kernel));
  *blocks = fits ? camp_sim::blocks_that_fit(block_size, dynamic_shared_bytes) : 0;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size,
                                               const void *kernel, size_t dynamic_shared_bytes,
                                               int block_size_limit) {
  if (min_grid_size == nullptr || block_size == nullptr) return report(cudaErrorInvalidValue);
  const int limit = block_size_limit > 0
                        ? std::min(block_size_limit, DeviceModel::max_threads_per_block)
                        : DeviceModel::max_threads_per_block;
  int most_threads = 0;
  *min_grid_size = *block_size = 0;
  for (int size = limit; size > 0; size -= DeviceModel::warp_size) {
    int blocks = 0;
    const cudaError_t error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, dynamic_shared_bytes);
    if (error != cudaSuccess) return error;
    if (blocks * size <= most_threads) continue;
    most_threads = blocks * size;
    *block_size = size;
    *min_grid_size = blocks * DeviceModel::multiprocessors;
  }
  return cudaSuccess;
}
