// launch.h: what `kernel<<<grid, block, shared, stream>>>(arguments)` is translated to, and the
// built-in variables.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "camp_sim/engine.h"
#include "camp_sim/kernel_facts.h"
#include "camp_sim/qualifiers.h"
#include "vector_types.h"

// Defined by the engine under the same symbols as writable; here constant, so that the host
// compiler neither instruments nor reloads them. Thread-local: blocks run on several host threads.
extern __thread const uint3 threadIdx __asm__("camp_sim_thread_index");
extern __thread const uint3 blockIdx __asm__("camp_sim_block_index");
extern __thread const uint3 blockDim __asm__("camp_sim_block_dim");
extern __thread const uint3 gridDim __asm__("camp_sim_grid_dim");
// Called by every kernel as it is entered, with a class local to it: says its name, once a launch
// and host thread.
extern __thread void (*const camp_sim_kernel_entered)(const std::type_info &inside) noexcept
    __asm__("camp_sim_kernel_entered");
constexpr int warpSize = camp_sim::DeviceModel::warp_size;

namespace camp_sim {

struct KernelSite {
  const char *name;
  const char *file;
  int line;
};

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  size_t dynamic_shared_bytes;
  void *stream;
};

inline LaunchConfig configure(dim3 grid, dim3 block, size_t dynamic_shared_bytes = 0,
                              void *stream = nullptr) {
  return LaunchConfig{grid, block, dynamic_shared_bytes, stream};
}

// Runs `entry(frame)` once for every CUDA thread and returns when all are done. `frame` holds the
// kernel's arguments.
CAMP_SIM_API void run_launch(const KernelSite &site, const LaunchConfig &config,
                             void (*entry)(void *), void *frame, size_t frame_bytes);

template <typename Invoke, typename... Arguments>
struct LaunchFrame {
  Invoke invoke;
  std::tuple<Arguments...> arguments;

  // Unpacking must not be instrumented: the frame is the host's memory, not the kernel's.
  template <size_t... I>
  CAMP_SIM_NO_SANITIZE void call(std::index_sequence<I...>) {
    invoke(std::get<I>(arguments)...);
  }
  CAMP_SIM_NO_SANITIZE static void enter(void *frame) {
    static_cast<LaunchFrame *>(frame)->call(std::index_sequence_for<Arguments...>{});
  }
};

// Arguments are evaluated once, on the host, and every thread gets its own copy, as on a GPU.
template <typename Invoke, typename... Arguments>
CAMP_SIM_NO_SANITIZE void launch(const KernelSite &site, const LaunchConfig &config, Invoke invoke,
                                 Arguments &&...arguments) {
  using Frame = LaunchFrame<Invoke, std::decay_t<Arguments>...>;
  Frame frame{std::move(invoke), {std::forward<Arguments>(arguments)...}};
  run_launch(site, config, &Frame::enter, &frame, sizeof(frame));
}

}  // namespace camp_sim

#define CAMP_SIM_KERNEL(name, ...) \
  ::camp_sim::KernelSite {         \
    name, __FILE__, __LINE__       \
  }

// The translator puts it at the start of every kernel. The name of a local class holds the whole
// instantiation that it is local to. A call and no test of a flag: where branches are counted, this
// must not be one.
#define CAMP_SIM_KERNEL_BEGIN \
  struct camp_sim_kernel {};  \
  camp_sim_kernel_entered(typeid(camp_sim_kernel));
