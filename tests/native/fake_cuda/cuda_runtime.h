// cuda_runtime.h: a stand-in for CUDA's, with host memory and no device, for tests of the runtime.
//
// Everything happens at once and on the calling thread. `fake_cuda::` holds the knobs of the tests:
// it can hide the devices, exhaust the memory and raise errors where a GPU would.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorIllegalState = 401,
  cudaErrorIllegalAddress = 700,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorUnknown = 999
};

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3
};

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
};

struct CUstream_st {
  int device;
  bool records = false;
};
using cudaStream_t = CUstream_st *;
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
struct CUevent_st {
  float time_ms;
};
using cudaEvent_t = CUevent_st *;
struct CUgraph_st {};
using cudaGraph_t = CUgraph_st *;
struct CUgraphExec_st {};
using cudaGraphExec_t = CUgraphExec_st *;
enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed = 2 };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1 };

namespace fake_cuda {

inline std::atomic<int> device_count{2};
inline std::atomic<size_t> memory_bytes{size_t{1} << 30};  // the largest single allocation
inline std::atomic<long> allocations{0};                   // alive
inline std::atomic<long> streams{0};
inline std::atomic<long> events{0};
inline std::atomic<long> waits{0};          // calls that wait for the device
inline std::atomic<long> graphs{0};         // recorded and launchable ones
inline std::atomic<long> replays{0};        // launches of graphs
inline std::atomic<int> launching{0};       // threads inside a launch of a graph
inline std::atomic<int> most_launching{0};  // at once, so far
inline std::atomic<int> spoiled{0};         // the next recordings that end in an error
inline std::atomic<float> clock_ms{0.0F};   // what an event records
inline std::atomic<int> sticky{0};          // once set, every call fails with it
inline thread_local int current_device = 0;
inline thread_local cudaError_t last_error = cudaSuccess;

inline cudaError_t give(cudaError_t error) {
  if (sticky != 0) error = static_cast<cudaError_t>(sticky.load());
  if (error != cudaSuccess) last_error = error;
  return error;
}

}  // namespace fake_cuda

inline cudaError_t cudaPeekAtLastError() {
  return fake_cuda::sticky != 0 ? static_cast<cudaError_t>(fake_cuda::sticky.load())
                                : fake_cuda::last_error;
}

inline cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  fake_cuda::last_error = cudaSuccess;
  return error;
}

inline const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    default:
      return "cudaErrorOther";
  }
}

inline const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    default:
      return "some other error";
  }
}

inline cudaError_t cudaGetDeviceCount(int *count) {
  *count = fake_cuda::device_count;
  return fake_cuda::give(*count == 0 ? cudaErrorNoDevice : cudaSuccess);
}

inline cudaError_t cudaGetDevice(int *device) {
  *device = fake_cuda::current_device;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= fake_cuda::device_count) {
    return fake_cuda::give(cudaErrorInvalidDevice);
  }
  fake_cuda::current_device = device;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  std::memset(properties, 0, sizeof *properties);
  std::memset(properties->name, 'n', 200);  // longer than the runtime's own field
  properties->totalGlobalMem = fake_cuda::memory_bytes;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
  if (attribute == cudaDevAttrMemoryClockRate) return fake_cuda::give(cudaErrorInvalidValue);
  *value = static_cast<int>(attribute);
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaDeviceSynchronize() {
  ++fake_cuda::waits;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  if (bytes > fake_cuda::memory_bytes) return fake_cuda::give(cudaErrorMemoryAllocation);
  *pointer = std::malloc(bytes);
  ++fake_cuda::allocations;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaFree(void *pointer) {
  if (pointer != nullptr) --fake_cuda::allocations;
  std::free(pointer);
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  std::memcpy(to, from, bytes);
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t) {
  std::memset(pointer, value, bytes);
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = new CUstream_st{fake_cuda::current_device};
  ++fake_cuda::streams;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  --fake_cuda::streams;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  ++fake_cuda::waits;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = new CUevent_st{0.0F};
  ++fake_cuda::events;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  --fake_cuda::events;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->time_ms = fake_cuda::clock_ms;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  ++fake_cuda::waits;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaEventElapsedTime(float *elapsed, cudaEvent_t start, cudaEvent_t end) {
  *elapsed = end->time_ms - start->time_ms;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  *status = stream->records ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  stream->records = true;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  *graph = nullptr;
  if (!stream->records) return fake_cuda::give(cudaErrorIllegalState);
  stream->records = false;
  if (fake_cuda::spoiled > 0) {
    --fake_cuda::spoiled;
    return fake_cuda::give(cudaErrorStreamCaptureInvalidated);
  }
  *graph = new CUgraph_st;
  ++fake_cuda::graphs;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t,
                                                 unsigned long long) {
  *executable = new CUgraphExec_st;
  ++fake_cuda::graphs;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  const int at_once = ++fake_cuda::launching;
  if (at_once > fake_cuda::most_launching) fake_cuda::most_launching = at_once;
  ++fake_cuda::replays;
  std::this_thread::yield();  // so that a second thread would be seen
  --fake_cuda::launching;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  --fake_cuda::graphs;
  return fake_cuda::give(cudaSuccess);
}

inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  --fake_cuda::graphs;
  return fake_cuda::give(cudaSuccess);
}
