// api_templates.h: typed forms of CUDA's host functions: kernels by name, symbols, typed pointers.
#pragma once

#include <type_traits>

#include "camp_sim/api.h"

namespace camp_sim {

template <typename T>
using require_function = std::enable_if_t<std::is_function_v<std::remove_pointer_t<T>>>;

template <typename T>
const void *kernel_address(T *kernel) {
  return reinterpret_cast<const void *>(kernel);
}

// `offset` into the variable at `symbol`; null when `bytes` from there on leave its `size`.
CAMP_SIM_API void *symbol_range(const volatile void *symbol, size_t size, size_t offset,
                                size_t bytes);

// The block size that keeps most threads resident, and how many such blocks fill the device.
CAMP_SIM_API cudaError_t best_block_size(int *min_grid_size, int *block_size, const void *kernel,
                                         size_t (*dynamic_bytes)(const void *context,
                                                                 int block_size),
                                         const void *context, int block_size_limit);

}  // namespace camp_sim

template <typename T>
cudaError_t cudaMalloc(T **pointer, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(pointer), bytes);
}
template <typename T>
cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void **>(pointer), bytes, stream);
}
template <typename T>
cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <typename T>
cudaError_t cudaMallocHost(T **pointer, size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void **>(pointer), bytes);
}
template <typename T>
cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags) {
  return cudaHostAlloc(reinterpret_cast<void **>(pointer), bytes, flags);
}

template <typename T, typename = camp_sim::require_function<T>>
cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(camp_sim::kernel_address(kernel), attribute, value);
}
template <typename T, typename = camp_sim::require_function<T>>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel) {
  return cudaFuncGetAttributes(attributes, camp_sim::kernel_address(kernel));
}
template <typename T, typename = camp_sim::require_function<T>>
cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(camp_sim::kernel_address(kernel), config);
}
template <typename T, typename = camp_sim::require_function<T>>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel, int block_size,
                                                          size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, camp_sim::kernel_address(kernel),
                                                       block_size, dynamic_shared_bytes);
}
// `dynamic_bytes` of a block of so many threads.
template <typename T, typename DynamicBytes, typename = camp_sim::require_function<T>>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid_size, int *block_size,
                                                           T *kernel, DynamicBytes dynamic_bytes,
                                                           int block_size_limit = 0) {
  const auto call = [](const void *context, int threads) -> size_t {
    return (*static_cast<const DynamicBytes *>(context))(threads);
  };
  return camp_sim::best_block_size(min_grid_size, block_size, camp_sim::kernel_address(kernel),
                                   call, &dynamic_bytes, block_size_limit);
}
template <typename T, typename = camp_sim::require_function<T>>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size, T *kernel,
                                               size_t dynamic_shared_bytes = 0,
                                               int block_size_limit = 0) {
  const auto same = [dynamic_shared_bytes](int) { return dynamic_shared_bytes; };
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(min_grid_size, block_size, kernel, same,
                                                        block_size_limit);
}
template <typename T, typename = camp_sim::require_function<T>>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel, int blocks,
                                                      int block_size) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, camp_sim::kernel_address(kernel), blocks,
                                                   block_size);
}

// ---- __device__ and __constant__ variables, named directly ----
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *source, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpy(camp_sim::symbol_range(&symbol, sizeof(T), offset, bytes), source, bytes, kind);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *source, size_t bytes,
                                    size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  return cudaMemcpyAsync(camp_sim::symbol_range(&symbol, sizeof(T), offset, bytes), source, bytes,
                         kind, stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *destination, const T &symbol, size_t bytes,
                                 size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpy(destination, camp_sim::symbol_range(&symbol, sizeof(T), offset, bytes), bytes,
                    kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const T &symbol, size_t bytes,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  return cudaMemcpyAsync(destination, camp_sim::symbol_range(&symbol, sizeof(T), offset, bytes),
                         bytes, kind, stream);
}
template <typename T>
cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
  if (address == nullptr) return cudaErrorInvalidValue;
  *address = const_cast<void *>(static_cast<const volatile void *>(&symbol));
  return cudaSuccess;
}
template <typename T>
cudaError_t cudaGetSymbolSize(size_t *bytes, const T &) {
  if (bytes == nullptr) return cudaErrorInvalidValue;
  *bytes = sizeof(T);
  return cudaSuccess;
}
