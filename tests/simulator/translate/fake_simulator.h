// fake_simulator.h: prints what a translated file asks of the simulator, one line each, and runs
// every kernel once. Written from the translation's contract, without any of the real headers.
#pragma once
#include <cstddef>
#include <cstdio>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define CAMP_SIM_NO_SANITIZE
#define CAMP_SIM_KERNEL_BEGIN
#define CAMP_SIM_LAUNCH_BOUNDS(...)

struct camp_sim_kernel {};

typedef int cudaStream_t;

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

namespace camp_sim {

struct KernelSite {
  const char *name;
  const char *file;
  int line;
};
#define CAMP_SIM_KERNEL(name, ...) \
  ::camp_sim::KernelSite {         \
    name, __FILE__, __LINE__       \
  }

struct Configuration {
  dim3 grid, block;
  size_t shared;
  int stream;
};
inline Configuration configure(dim3 grid, dim3 block, size_t shared = 0, int stream = 0) {
  return {grid, block, shared, stream};
}

template <typename Invoke, typename... Arguments>
void launch(const KernelSite &site, const Configuration &c, Invoke invoke,
            Arguments &&...arguments) {
  std::printf("launch %s line %d grid %u,%u,%u block %u,%u,%u shared %zu stream %d arguments %zu\n",
              site.name, site.line, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z,
              c.shared, c.stream, sizeof...(arguments));
  invoke(static_cast<const Arguments &>(arguments)...);
}

struct SharedVariable {
  const char *name;
  const char *file;
  int line;
};
template <typename T, size_t Alignment, typename Kernel, int Place>
T &shared_variable(const SharedVariable &variable) {
  std::printf("shared %s line %d bytes %zu alignment %zu\n", variable.name, variable.line,
              sizeof(T), Alignment);
  alignas(64) static unsigned char memory[65536];
  return *reinterpret_cast<T *>(memory);
}
template <typename T, size_t Alignment>
T *dynamic_shared() {
  std::printf("dynamic element %zu alignment %zu\n", sizeof(T), Alignment);
  alignas(64) static unsigned char memory[65536];
  return reinterpret_cast<T *>(memory);
}
template <typename T, size_t Alignment>
struct DynamicShared {
  operator T *() const { return dynamic_shared<T, Alignment>(); }
};

}  // namespace camp_sim
