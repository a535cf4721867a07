// check.cuh: what the simulator's test programs share.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "operator_runtime/simulator.h"

#define CHECK(condition)                                                 \
  do {                                                                   \
    if (!(condition)) {                                                  \
      std::printf("FAILED %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                      \
    }                                                                    \
    ++checks;                                                            \
  } while (false)

static int checks = 0;

// Device memory that the host fills and reads.
template <typename T>
struct Buffer {
  T *device = nullptr;
  int count;
  T *host;
  explicit Buffer(int n, T fill = T()) : count(n), host(new T[n]) {
    cudaMalloc(reinterpret_cast<void **>(&device), sizeof(T) * n);
    for (int i = 0; i < n; ++i)
      host[i] = fill;
    upload();
  }
  ~Buffer() {
    cudaFree(device);
    delete[] host;
  }
  void upload() { cudaMemcpy(device, host, sizeof(T) * count, cudaMemcpyHostToDevice); }
  T *download() {
    cudaMemcpy(host, device, sizeof(T) * count, cudaMemcpyDeviceToHost);
    return host;
  }
};

// Prints what the simulator saw as the last line; the test reads it.
inline int finish(const char *name) {
  std::printf("%s: %d checks\n%s\n", name, checks, camp_sim_take_report());
  return 0;
}
