// fuzz.cuh: what the generated programs share: memory with known contents, and showing it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#include "operator_runtime/simulator.h"

// Opaque to the compiler: accesses on both sides of a call stay two accesses.
__attribute__((noipa)) __device__ inline void apart() {}

template <typename T>
struct Memory {
  T *device = nullptr;
  size_t count;

  Memory(size_t n, bool filled, uint32_t seed) : count(n) {
    cudaMalloc(reinterpret_cast<void **>(&device), n * sizeof(T));
    if (!filled) return;
    std::vector<T> host(n);
    constexpr bool is_signed = T(-1) < T(0);
    for (size_t i = 0; i < n; ++i) {
      const uint32_t mixed = static_cast<uint32_t>(i) * 2654435761u + seed * 40503u + 12345u;
      host[i] = static_cast<T>(static_cast<int>((mixed >> 9) % 61u) - (is_signed ? 20 : 0));
    }
    cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Memory() { cudaFree(device); }

  // One line: the name and the bytes.
  void show(const char *name) const {
    std::vector<unsigned char> bytes(count * sizeof(T));
    cudaMemcpy(bytes.data(), device, bytes.size(), cudaMemcpyDeviceToHost);
    std::printf("%s ", name);
    for (unsigned char byte : bytes) {
      std::printf("%02x", byte);
    }
    std::printf("\n");
  }
};

// `program SCHEDULE_SEED WORKERS [NUMBER]`: runs all kernels or one. For each a line with its
// number, the arrays' lines and the simulator's report.
inline int run_all(void (*const *runs)(), int count, int argc, char **argv) {
  if (argc < 3) return 2;
  camp_sim_options_t options = {};
  options.schedule_seed = std::strtoull(argv[1], nullptr, 10);
  options.workers = static_cast<uint32_t>(std::atoi(argv[2]));
  options.time_limit_ms = 20000;
  options.poison = 0xa5;
  camp_sim_configure(&options);
  for (int i = 0; i < count; ++i) {
    if (argc > 3 && std::atoi(argv[3]) != i) continue;
    std::printf("kernel %d\n", i);
    std::fflush(stdout);
    runs[i]();
    std::printf("%s\n", camp_sim_take_report());
  }
  return 0;
}
