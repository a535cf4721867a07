// host_api.cu: errors, properties, attributes and occupancy: what host code learns from the
// runtime.
#include "features.cuh"

__global__ void empty_kernel(int *) {}
__global__ void __launch_bounds__(128) bounded_kernel(int *out) {
  out[threadIdx.x] = 1;
}
__global__ void static_shared_kernel(int *out) {
  __shared__ int cells[1000];
  cells[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}
template <typename T, int Count>
__global__ void __launch_bounds__(Count / 4, 2) template_kernel(T *out) {
  __shared__ T cells[Count];
  cells[threadIdx.x] = static_cast<T>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}
__global__ void dynamic_kernel(int *out) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = scratch[threadIdx.x];
}

// ---- errors: what a call returns, and what cudaGetLastError says of it, once ----
static void failure(const char *name, cudaError_t error) {
  const int codes[] = {static_cast<int>(error), static_cast<int>(cudaPeekAtLastError()),
                       static_cast<int>(cudaGetLastError()), static_cast<int>(cudaGetLastError())};
  Feature(name).show(codes, 4);
}
static void errors() {
  Device<char> device(64);
  char host[64] = {};
  int value = 0;
  int *pointer = nullptr;
  failure("error_of_no_call", cudaSuccess);
  failure("error_of_a_device_that_is_none", cudaSetDevice(4711));
  failure("error_of_an_attribute_that_is_none",
          cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(987654), 0));
  failure("error_of_a_copy_direction_that_is_none",
          cudaMemcpy(host, device.data(), 8, static_cast<cudaMemcpyKind>(9)));
  failure("error_of_a_pitch_below_the_width",
          cudaMemcpy2D(host, 6, device.data(), 16, 7, 4, cudaMemcpyDeviceToHost));
  failure("error_of_a_null_copy", cudaMemcpy(nullptr, device.data(), 0, cudaMemcpyDeviceToHost));
  failure("error_of_too_large_an_allocation", cudaMalloc(&pointer, size_t{1} << 50));
  failure("error_of_freeing_nothing", cudaFree(nullptr));
  cudaEvent_t event = nullptr;
  SUCCEED(cudaEventCreate(&event));
  float milliseconds = 0.0f;
  failure("error_of_time_between_events_not_recorded",
          cudaEventElapsedTime(&milliseconds, event, event));
  SUCCEED(cudaEventDestroy(event));
  for (const cudaError_t error :
       {cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation,
        cudaErrorInvalidConfiguration, cudaErrorLaunchOutOfResources, cudaErrorIllegalAddress,
        cudaErrorInvalidResourceHandle, cudaErrorNotReady, cudaErrorInvalidDeviceFunction,
        cudaErrorLaunchFailure}) {
    const char *name = cudaGetErrorName(error);
    Feature(std::string("name_of_error_") + std::to_string(static_cast<int>(error)))
        .show(name, std::strlen(name));
  }
}

// ---- devices: only what every GPU of this architecture shares ----
static void devices() {
  cudaDeviceProp p;
  SUCCEED(cudaGetDeviceProperties(&p, 0));
  Feature("device_properties_of_threads")
      .value(p.warpSize)
      .value(p.maxThreadsPerBlock)
      .value(p.maxThreadsPerMultiProcessor)
      .value(p.maxBlocksPerMultiProcessor)
      .show(p.maxThreadsDim, 3)
      .show(p.maxGridSize, 3)
      .value(p.multiProcessorCount)
      .value(p.major)
      .value(p.minor);
  Feature("device_properties_of_memory")
      .value(p.sharedMemPerBlock)
      .value(p.sharedMemPerBlockOptin)
      .value(p.sharedMemPerMultiprocessor)
      .value(p.reservedSharedMemPerBlock)
      .value(p.regsPerBlock)
      .value(p.regsPerMultiprocessor)
      .value(p.totalConstMem)
      .value(p.memPitch)
      .value(p.textureAlignment)
      .value(p.unifiedAddressing)
      .value(p.concurrentKernels)
      .value(p.canMapHostMemory)
      .value(p.managedMemory);
  Feature feature("device_attributes");
  for (const cudaDeviceAttr attribute : {cudaDevAttrMaxThreadsPerBlock,
                                         cudaDevAttrMaxBlockDimX,
                                         cudaDevAttrMaxBlockDimY,
                                         cudaDevAttrMaxBlockDimZ,
                                         cudaDevAttrMaxGridDimX,
                                         cudaDevAttrMaxGridDimY,
                                         cudaDevAttrMaxGridDimZ,
                                         cudaDevAttrMaxSharedMemoryPerBlock,
                                         cudaDevAttrTotalConstantMemory,
                                         cudaDevAttrWarpSize,
                                         cudaDevAttrMaxRegistersPerBlock,
                                         cudaDevAttrMultiProcessorCount,
                                         cudaDevAttrMaxThreadsPerMultiProcessor,
                                         cudaDevAttrComputeCapabilityMajor,
                                         cudaDevAttrComputeCapabilityMinor,
                                         cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                                         cudaDevAttrMaxRegistersPerMultiprocessor,
                                         cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                         cudaDevAttrMaxBlocksPerMultiprocessor,
                                         cudaDevAttrReservedSharedMemoryPerBlock,
                                         cudaDevAttrMemoryPoolsSupported,
                                         cudaDevAttrUnifiedAddressing}) {
    int value = -1;
    SUCCEED(cudaDeviceGetAttribute(&value, attribute, 0));
    feature.value(value);
  }
}

// ---- memory ----
static void pointer_kind(const char *name, const void *pointer) {
  cudaPointerAttributes attributes;
  SUCCEED(cudaPointerGetAttributes(&attributes, pointer));
  Feature(name)
      .value(static_cast<int>(attributes.type))
      .value(attributes.devicePointer == pointer)
      .value(attributes.hostPointer == pointer);
}
static void pointers() {
  Device<char> device(64);
  void *pinned = nullptr, *mapped = nullptr, *pitched = nullptr;
  char ordinary[8] = {};
  size_t pitch = 0;
  SUCCEED(cudaMallocHost(&pinned, 100));
  SUCCEED(cudaHostAlloc(&mapped, 100, cudaHostAllocDefault));
  SUCCEED(cudaMallocPitch(&pitched, &pitch, 5, 3));
  pointer_kind("pointer_to_device_memory", device.data() + 3);
  pointer_kind("pointer_to_pinned_memory", pinned);
  pointer_kind("pointer_to_ordinary_memory", ordinary);
  Feature("alignment_and_pitch")
      .value(reinterpret_cast<size_t>(device.data()) % 256)
      .value(pitch >= 5 && pitch % 256 == 0);
  size_t free_bytes = 0, total_bytes = 0;
  SUCCEED(cudaMemGetInfo(&free_bytes, &total_bytes));
  Feature("memory_info").value(free_bytes > 0 && free_bytes <= total_bytes);
  SUCCEED(cudaFreeHost(pinned));
  SUCCEED(cudaFreeHost(mapped));
  SUCCEED(cudaFree(pitched));
}

// ---- kernels ----
struct SharedOfBlock {
  __host__ __device__ size_t operator()(int threads) const {
    return static_cast<size_t>(threads) * 64;
  }
};
template <typename Kernel>
static void attributes(const char *name, Kernel kernel) {
  cudaFuncAttributes a;
  SUCCEED(cudaFuncGetAttributes(&a, kernel));
  Feature(std::string("attributes_of_") + name)
      .value(a.sharedSizeBytes)
      .value(a.maxThreadsPerBlock)
      .value(a.maxDynamicSharedSizeBytes)
      .value(a.localSizeBytes);
}
template <typename Kernel>
static void occupancy(const char *name, Kernel kernel, int block, size_t dynamic_bytes) {
  int blocks = -1;
  SUCCEED(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, dynamic_bytes));
  Feature(std::string("occupancy_of_") + name).value(blocks);
}
static void kernels() {
  constexpr auto limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
  attributes("an_empty_kernel", empty_kernel);
  attributes("a_kernel_with_launch_bounds", bounded_kernel);
  attributes("a_kernel_with_static_shared", static_shared_kernel);
  attributes("a_template_of_float", template_kernel<float, 256>);
  attributes("a_template_of_double", template_kernel<double, 512>);
  attributes("a_kernel_before_its_opt_in", dynamic_kernel);
  failure("error_of_too_large_an_opt_in",
          cudaFuncSetAttribute(dynamic_kernel, limit, 227 * 1024 + 1));
  failure("error_of_an_opt_in_beside_static_shared",
          cudaFuncSetAttribute(static_shared_kernel, limit, 227 * 1024));
  SUCCEED(cudaFuncSetAttribute(dynamic_kernel, limit, 100 * 1024));
  attributes("a_kernel_after_its_opt_in", dynamic_kernel);
  attributes("another_kernel_after_that", empty_kernel);
  occupancy("full_blocks", empty_kernel, 1024, 0);
  occupancy("blocks_of_100", empty_kernel, 100, 0);
  occupancy("single_warps", empty_kernel, 32, 0);
  occupancy("blocks_with_much_dynamic_shared", dynamic_kernel, 64, 100 * 1024);
  occupancy("blocks_with_static_shared", static_shared_kernel, 32, 0);
  occupancy("blocks_with_static_and_dynamic_shared", static_shared_kernel, 32, 20000);
  occupancy("blocks_above_the_launch_bounds", bounded_kernel, 256, 0);
  int grid = 0, block = 0;
  SUCCEED(cudaOccupancyMaxPotentialBlockSize(&grid, &block, empty_kernel));
  Feature("best_block_size").value(grid).value(block);
  SUCCEED(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded_kernel, 0, 0));
  Feature("best_block_size_within_launch_bounds").value(grid).value(block);
  SUCCEED(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, dynamic_kernel,
                                                         SharedOfBlock{}));
  Feature("best_block_size_with_shared_by_size").value(grid).value(block);
  size_t bytes = 0;
  SUCCEED(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, empty_kernel, 2, 256));
  Feature("dynamic_shared_left_for_two_blocks").value(bytes);
}

int main() {
  errors();
  devices();
  pointers();
  kernels();
  return finish();
}
