// rows.cuh: programs of kernels whose memory traffic is counted twice: by the simulator, and by the
// counters of a GPU under Nsight Compute. A row is one call of ROW or ROW_OF_TWO, which say how
// many kernels it launches.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#if defined(CAMP_SIM)
#include "operator_runtime/simulator.h"
#endif

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t error = (call);                                                              \
    if (error != cudaSuccess) {                                                                    \
      std::printf("FAILED %s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error)); \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (false)

// Prints the row's name, how many kernels it launched and, on the simulator, its report.
template <typename Launch>
void run_row(const char *name, int kernels, Launch launch) {
  launch();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
#if defined(CAMP_SIM)
  std::printf("%s %d %s\n", name, kernels, camp_sim_take_report());
#else
  std::printf("%s %d\n", name, kernels);
#endif
}

#define ROW(name, ...) run_row(#name, 1, [&] { __VA_ARGS__; })
#define ROW_OF_TWO(name, ...) run_row(#name, 2, [&] { __VA_ARGS__; })

// Zeroed device memory of `count` elements, 256-byte aligned.
template <typename T>
T *device_memory(size_t count) {
  void *pointer = nullptr;
  CHECK(cudaMalloc(&pointer, count * sizeof(T)));
  CHECK(cudaMemset(pointer, 0, count * sizeof(T)));
  return static_cast<T *>(pointer);
}

// A copy on the device of `count` elements made by value(i).
template <typename T, typename Value>
T *device_table(size_t count, Value value) {
  T *host = static_cast<T *>(std::malloc(count * sizeof(T)));
  for (size_t i = 0; i < count; ++i)
    host[i] = value(i);
  T *device = device_memory<T>(count);
  CHECK(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
  std::free(host);
  return device;
}

// A well mixed number for each i.
inline unsigned mixed(unsigned i) {
  i = (i ^ i >> 16) * 0x7feb352du;
  i = (i ^ i >> 15) * 0x846ca68bu;
  return i ^ i >> 16;
}
