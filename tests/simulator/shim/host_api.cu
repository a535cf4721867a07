// host_api.cu: the host functions of CUDA's runtime, their errors first. What follows CAMP_SIM is
// about the simulator's own device.
#include <cstdint>
#include <cstring>
#include <string>

#include "program.cuh"

__constant__ int table[4];
__device__ float accumulator;

__global__ void read_kernel(int *out) {
  out[threadIdx.x] = table[threadIdx.x] + static_cast<int>(accumulator);
  __syncthreads();  // every thread has read it
  if (threadIdx.x == 0) accumulator += 1.0f;
}

__global__ void fill_kernel(char *out) {
  extern __shared__ char scratch[];
  scratch[threadIdx.x] = static_cast<char>(threadIdx.x);
  out[threadIdx.x] = scratch[threadIdx.x];
}

// A failed call is kept until it is read once, and does not spoil the next.
static bool fails(cudaError_t actual, cudaError_t expected) {
  const bool kept = cudaPeekAtLastError() == expected && cudaGetLastError() == expected;
  return actual == expected && kept && cudaGetLastError() == cudaSuccess;
}

static void errors() {
  CHECK(std::string(cudaGetErrorName(cudaErrorInvalidValue)) == "cudaErrorInvalidValue");
  CHECK(std::strlen(cudaGetErrorString(cudaErrorMemoryAllocation)) > 0);
  CHECK(fails(cudaSetDevice(4711), cudaErrorInvalidDevice));
  int value = 0;
  CHECK(fails(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(987654), 0),
              cudaErrorInvalidValue));
}

static void memory() {
  unsigned char host[64], back[64];
  for (int i = 0; i < 64; ++i)
    host[i] = static_cast<unsigned char>(i);
  unsigned char *device = nullptr;
  CHECK(cudaMalloc(&device, 64) == cudaSuccess);
  CHECK(reinterpret_cast<uintptr_t>(device) % 256 == 0);
  CHECK(cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemset(device + 8, 0xab, 8) == cudaSuccess);
  CHECK(cudaMemcpy(back, device, 64, cudaMemcpyDefault) == cudaSuccess);
  for (int i = 0; i < 64; ++i)
    CHECK(back[i] == (i >= 8 && i < 16 ? 0xab : i));
  // A 4 x 6 corner of a 16-byte pitch into one of 6.
  CHECK(cudaMemcpy2D(back, 6, device, 16, 6, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < 24; ++i)
    CHECK(back[i] == (i / 6 == 0 ? i % 6 : i / 6 * 16 + i % 6));
  CHECK(cudaMemset2D(device, 16, 0x11, 2, 3) == cudaSuccess);
  CHECK(cudaMemcpy(back, device, 64, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back[0] == 0x11 && back[33] == 0x11 && back[34] == 34 && back[48] == 48);
  CHECK(fails(cudaMemcpy2D(back, 6, device, 16, 7, 4, cudaMemcpyDeviceToHost),
              cudaErrorInvalidPitchValue));
  CHECK(fails(cudaMemcpy(back, device, 8, static_cast<cudaMemcpyKind>(9)),
              cudaErrorInvalidMemcpyDirection));
  CHECK(cudaMemcpy(nullptr, device, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, device + 3) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
  CHECK(cudaPointerGetAttributes(&attributes, host) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
  CHECK(cudaFree(device) == cudaSuccess);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(fails(cudaFree(device), cudaErrorInvalidValue));
  void *pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, 100) == cudaSuccess);
  CHECK(cudaPointerGetAttributes(&attributes, pinned) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeHost);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  size_t free_bytes = 0, total_bytes = 0, pitch = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess);
  CHECK(free_bytes > 0 && free_bytes <= total_bytes);
  CHECK(cudaMallocPitch(&pinned, &pitch, 5, 3) == cudaSuccess && pitch >= 5);
  CHECK(cudaFree(pinned) == cudaSuccess);
}

static void symbols() {
  const int values[4] = {3, 1, 4, 1};
  int back[4] = {};
  CHECK(cudaMemcpyToSymbol(table, values, sizeof values) == cudaSuccess);
  CHECK(cudaMemcpyToSymbol(table, values + 2, sizeof(int), sizeof(int)) == cudaSuccess);
  CHECK(cudaMemcpyFromSymbol(back, table, sizeof back) == cudaSuccess);
  CHECK(back[0] == 3 && back[1] == 4 && back[2] == 4 && back[3] == 1);
  CHECK(fails(cudaMemcpyToSymbol(table, values, sizeof values, 4), cudaErrorInvalidValue));
  size_t bytes = 0;
  void *address = nullptr;
  CHECK(cudaGetSymbolSize(&bytes, table) == cudaSuccess && bytes == 16);
  CHECK(cudaGetSymbolAddress(&address, accumulator) == cudaSuccess);
  const float ten = 10.0f;
  CHECK(cudaMemcpy(address, &ten, sizeof ten, cudaMemcpyHostToDevice) == cudaSuccess);
  Shared<int> out(4);
  read_kernel<<<1, 4>>>(out.data);
  wait();
  CHECK(out[0] == 13 && out[1] == 14 && out[3] == 11);
  float after = 0.0f;
  CHECK(cudaMemcpyFromSymbol(&after, accumulator, sizeof after) == cudaSuccess && after == 11.0f);
}

static void add_one(void *data) {
  ++*static_cast<int *>(data);
}

static void streams() {
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, end = nullptr, untimed = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess);
  CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
  float milliseconds = -1.0f;
  CHECK(fails(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle));
  CHECK(cudaEventRecord(start, stream) == cudaSuccess);
  int calls = 0;
  CHECK(cudaLaunchHostFunc(stream, add_one, &calls) == cudaSuccess);
  CHECK(cudaEventRecord(end, stream) == cudaSuccess);
  CHECK(cudaEventRecord(untimed, stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(nullptr, end) == cudaSuccess);
  CHECK(cudaEventSynchronize(end) == cudaSuccess && calls == 1);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds >= 0.0f && milliseconds < 60000.0f);
  CHECK(fails(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle));
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess && cudaStreamQuery(stream) == cudaSuccess);
  char *device = nullptr;
  CHECK(cudaMallocAsync(&device, 16, stream) == cudaSuccess);
  CHECK(cudaMemsetAsync(device, 1, 16, stream) == cudaSuccess);
  CHECK(cudaFreeAsync(device, stream) == cudaSuccess);
  CHECK(cudaEventDestroy(start) == cudaSuccess && cudaEventDestroy(end) == cudaSuccess);
  CHECK(cudaEventDestroy(untimed) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
#if defined(CAMP_SIM)
  CHECK(fails(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle));
  CHECK(fails(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle));
  CHECK(fails(cudaEventRecord(start), cudaErrorInvalidResourceHandle));
#endif
}

static void kernels() {
  constexpr auto limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
  Shared<char> out(32);
  fill_kernel<<<1, 32, 100 * 1024>>>(out.data);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(fails(cudaFuncSetAttribute(fill_kernel, limit, 227 * 1024 + 1), cudaErrorInvalidValue));
  CHECK(cudaFuncSetAttribute(fill_kernel, limit, 100 * 1024) == cudaSuccess);
  fill_kernel<<<1, 32, 100 * 1024>>>(out.data);
  wait();
  CHECK(out[31] == 31);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, fill_kernel) == cudaSuccess);
  CHECK(attributes.maxThreadsPerBlock == 1024);
  CHECK(attributes.maxDynamicSharedSizeBytes == 100 * 1024);
  int blocks = 0, grid = 0, size = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill_kernel, 1024, 0) ==
        cudaSuccess);
  CHECK(blocks == 2);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill_kernel, 100, 0);
  CHECK(blocks == 16);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill_kernel, 32, 0);
  CHECK(blocks == 32);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill_kernel, 64, 100 * 1024);
  CHECK(blocks == 2);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, fill_kernel) == cudaSuccess);
  CHECK(size == 1024 && grid == 2 * 132);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024);
  CHECK(properties.major == 9 && properties.multiProcessorCount == 132);
  CHECK(properties.maxGridSize[1] == 65535 && properties.sharedMemPerBlockOptin == 227 * 1024);
}

static void captures() {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaStreamCreate(&stream) == cudaSuccess);
  CHECK(fails(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState) && graph == nullptr);
  CHECK(fails(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed),
              cudaErrorStreamCaptureUnsupported));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(fails(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaErrorIllegalState));
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr);
  CHECK(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

#if defined(CAMP_SIM)
static void guarded() {
  unsigned char *device = nullptr, byte = 0;
  CHECK(cudaMalloc(&device, 10) == cudaSuccess);
  CHECK(device[0] == 0xcd && device[9] == 0xcd);
  CHECK(fails(cudaMemcpy(device, &byte, 11, cudaMemcpyHostToDevice), cudaErrorInvalidValue));
  CHECK(fails(cudaMemset(device + 5, 0, 6), cudaErrorInvalidValue));
  CHECK(fails(cudaFree(device + 1), cudaErrorInvalidValue));
  CHECK(fails(cudaFreeHost(device), cudaErrorInvalidValue));
  device[10] = 0;  // a host function that writes past the end
  CHECK(fails(cudaFree(device), cudaErrorIllegalAddress));
  CHECK(fails(cudaMalloc(&device, size_t{1} << 62), cudaErrorMemoryAllocation));
  CHECK(device == nullptr);
}
#else
static void guarded() {}
#endif

int main() {
  errors();
  memory();
  symbols();
  streams();
  kernels();
  captures();
  guarded();
  return finish();
}
