// program.cuh: what these test programs share. They also run on a GPU, which holds their
// expectations to CUDA's own.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#if defined(CAMP_SIM)
#include "operator_runtime/simulator.h"
#else
static const char *camp_sim_take_report() {
  return "{\"faults\": [], \"launches\": []}";
}
#endif

static int checks = 0;

#define CHECK(condition)                                                 \
  do {                                                                   \
    if (!(condition)) {                                                  \
      std::printf("FAILED %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                      \
    }                                                                    \
    ++checks;                                                            \
  } while (false)

// Memory that host and device see, zero at first.
template <typename T>
struct Shared {
  T *data = nullptr;
  explicit Shared(size_t count) {
    CHECK(cudaMallocManaged(&data, count * sizeof(T)) == cudaSuccess);
    CHECK(cudaMemset(data, 0, count * sizeof(T)) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  }
  ~Shared() { cudaFree(data); }
  T &operator[](size_t i) const { return data[i]; }
};

// Waits for the kernels before; any failure of theirs ends the program.
static void wait() {
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

static int finish() {
  std::printf("%d checks\n%s\n", checks, camp_sim_take_report());
  return 0;
}
