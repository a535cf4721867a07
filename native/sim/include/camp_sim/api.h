// api.h: the host functions of CUDA's runtime on the simulator. There is one device; its memory is
// the host's; a stream runs each piece of work before the call returns. C++ linkage on purpose: a
// real CUDA runtime in the same process keeps its own functions.
#pragma once

#include <cstddef>

#include "camp_sim/api_types.h"
#include "camp_sim/engine.h"
#include "vector_types.h"

// ---- errors: the last one of this thread, forgotten once read ----
CAMP_SIM_API cudaError_t cudaGetLastError();
CAMP_SIM_API cudaError_t cudaPeekAtLastError();
CAMP_SIM_API const char *cudaGetErrorName(cudaError_t error);
CAMP_SIM_API const char *cudaGetErrorString(cudaError_t error);

// ---- devices ----
CAMP_SIM_API cudaError_t cudaGetDeviceCount(int *count);
CAMP_SIM_API cudaError_t cudaGetDevice(int *device);
CAMP_SIM_API cudaError_t cudaSetDevice(int device);
CAMP_SIM_API cudaError_t cudaDeviceSynchronize();
CAMP_SIM_API cudaError_t cudaDeviceReset();
CAMP_SIM_API cudaError_t cudaSetDeviceFlags(unsigned int flags);
CAMP_SIM_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
CAMP_SIM_API cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
CAMP_SIM_API cudaError_t cudaDriverGetVersion(int *version);
CAMP_SIM_API cudaError_t cudaRuntimeGetVersion(int *version);

// ---- memory: fresh device memory holds 0xcd in every byte ----
CAMP_SIM_API cudaError_t cudaMalloc(void **pointer, size_t bytes);
CAMP_SIM_API cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
CAMP_SIM_API cudaError_t cudaMallocManaged(void **pointer, size_t bytes,
                                           unsigned int flags = cudaMemAttachGlobal);
CAMP_SIM_API cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width_bytes,
                                         size_t height);
CAMP_SIM_API cudaError_t cudaFree(void *pointer);
CAMP_SIM_API cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
CAMP_SIM_API cudaError_t cudaMallocHost(void **pointer, size_t bytes);
CAMP_SIM_API cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags);
CAMP_SIM_API cudaError_t cudaFreeHost(void *pointer);
CAMP_SIM_API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
CAMP_SIM_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes,
                                                  const void *pointer);
CAMP_SIM_API cudaError_t cudaMemcpy(void *destination, const void *source, size_t bytes,
                                    cudaMemcpyKind kind);
CAMP_SIM_API cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t bytes,
                                         cudaMemcpyKind kind, cudaStream_t stream = nullptr);
CAMP_SIM_API cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch,
                                      const void *source, size_t source_pitch, size_t width_bytes,
                                      size_t height, cudaMemcpyKind kind);
CAMP_SIM_API cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch,
                                           const void *source, size_t source_pitch,
                                           size_t width_bytes, size_t height, cudaMemcpyKind kind,
                                           cudaStream_t stream = nullptr);
CAMP_SIM_API cudaError_t cudaMemset(void *pointer, int value, size_t bytes);
CAMP_SIM_API cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes,
                                         cudaStream_t stream = nullptr);
CAMP_SIM_API cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width_bytes,
                                      size_t height);
CAMP_SIM_API cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value,
                                           size_t width_bytes, size_t height,
                                           cudaStream_t stream = nullptr);

// ---- streams and events ----
CAMP_SIM_API cudaError_t cudaStreamCreate(cudaStream_t *stream);
CAMP_SIM_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
CAMP_SIM_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags,
                                                      int priority);
CAMP_SIM_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
CAMP_SIM_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
CAMP_SIM_API cudaError_t cudaStreamQuery(cudaStream_t stream);
CAMP_SIM_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                             unsigned int flags = 0);
CAMP_SIM_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                                            void *user_data);
CAMP_SIM_API cudaError_t cudaEventCreate(cudaEvent_t *event);
CAMP_SIM_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
CAMP_SIM_API cudaError_t cudaEventDestroy(cudaEvent_t event);
CAMP_SIM_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
CAMP_SIM_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
CAMP_SIM_API cudaError_t cudaEventQuery(cudaEvent_t event);
// Milliseconds of host time between two recorded events.
CAMP_SIM_API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                              cudaEvent_t end);

// ---- graphs: a stream that captures records its work; a launch of the graph does it ----
CAMP_SIM_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
CAMP_SIM_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
CAMP_SIM_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                               cudaStreamCaptureStatus *status);
CAMP_SIM_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                              unsigned long long flags = 0);
CAMP_SIM_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable,
                                                       cudaGraph_t graph,
                                                       unsigned long long flags = 0);
CAMP_SIM_API cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
CAMP_SIM_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
CAMP_SIM_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                           size_t *count);
CAMP_SIM_API cudaError_t cudaGraphDestroy(cudaGraph_t graph);
CAMP_SIM_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

// ---- kernels ----
CAMP_SIM_API cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute,
                                              int value);
CAMP_SIM_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
CAMP_SIM_API cudaError_t cudaFuncSetCacheConfig(const void *kernel, cudaFuncCache config);
// Blocks that fit by threads and shared memory; registers are not modelled.
CAMP_SIM_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                       const void *kernel,
                                                                       int block_size,
                                                                       size_t dynamic_shared_bytes);
// What `blocks` blocks on a multiprocessor leave each for dynamic shared memory.
CAMP_SIM_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                                   const void *kernel, int blocks,
                                                                   int block_size);

#include "camp_sim/api_templates.h"
