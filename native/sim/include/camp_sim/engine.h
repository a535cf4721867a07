// engine.h: what the CUDA-named headers ask of the simulator. Learner code never names any of this.
//
// Every call may be made from host code too, where it does nothing (accesses) or reports misuse
// (barriers). A Site is the learner's line: default arguments take it at the call.
#pragma once

#include <cstddef>
#include <cstdint>

#define CAMP_SIM_API __attribute__((visibility("default")))

namespace camp_sim {

struct Site {
  const char *file;
  int line;
  static constexpr Site here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return Site{file, line};
  }
};

// ---- warp: every lane named in `mask` must arrive; the answer is this lane's 64-bit result ----
enum class WarpOp : uint8_t {
  sync,  // __syncwarp: the only one that orders memory
  shuffle_index,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  any,
  all,
  match_any,
  match_all,  // argument unused; result: mask or 0
  reduce_add,
  reduce_min_signed,
  reduce_max_signed,
  reduce_min_unsigned,
  reduce_max_unsigned,
  reduce_and,
  reduce_or,
  reduce_xor,
  active_mask,  // mask unused: the lanes that stand at the same line when no other can advance
};
// value: the lane's contribution, zero-extended; argument: source lane, delta or lane mask of a
// shuffle; width: its width (a power of two up to 32). Results from absent lanes are poison.
CAMP_SIM_API uint64_t warp_collective(WarpOp op, uint32_t mask, uint64_t value, int argument,
                                      int width, Site site);

// ---- block ----
enum class BarrierOp : uint8_t { sync, count, all_of, any_of };
// __syncthreads and its _count/_and/_or forms; the result of the reduction over `predicate`.
CAMP_SIM_API int block_barrier(BarrierOp op, int predicate, Site site);

// ---- memory ----
enum class Scope : uint8_t { block, device, system };
// Called before an atomic read-modify-write, load or store of `bytes` (1..16) at `address`.
CAMP_SIM_API void atomic_access(const volatile void *address, size_t bytes, Scope scope, Site site);
// Called before that where the atomic compares memory with an expected value: a plain read just
// before it, which gave that value, needs no order.
CAMP_SIM_API void compares(const volatile void *address, size_t bytes);
CAMP_SIM_API void memory_fence(Scope scope, Site site);
// Called before a plain access that the compiler does not instrument (intrinsics such as __ldg).
CAMP_SIM_API void plain_access(const volatile void *address, size_t bytes, bool writes, Site site);

// ---- faults raised by headers ----
// Ends the launch with a report: `kind` "trap" or "assertion".
[[noreturn]] CAMP_SIM_API void kernel_trap(const char *kind, const char *message, Site site);

// ---- host side ----
// Memory of cudaMalloc, __device__ variables and the like; kernels may touch it outside an execute.
CAMP_SIM_API void register_allocation(void *pointer, size_t bytes, const char *name);
CAMP_SIM_API void unregister_allocation(void *pointer);
// The host has written device memory (a copy, a memset): kernels may read it.
CAMP_SIM_API void host_wrote(const void *pointer, size_t bytes);
// The engine reports a refused launch here (a cudaError_t value); the runtime shim keeps it.
// Implemented by native/sim/src/cudart.cc.
CAMP_SIM_API void set_last_error(int cuda_error);

// Model of the simulated GPU: sm_90-like limits.
struct DeviceModel {
  static constexpr int warp_size = 32;
  static constexpr int max_threads_per_block = 1024;
  static constexpr unsigned max_block_dim[3] = {1024, 1024, 64};
  static constexpr unsigned max_grid_dim[3] = {2147483647u, 65535u, 65535u};
  static constexpr size_t static_shared_bytes = 48 * 1024;
  static constexpr size_t dynamic_shared_bytes_default = 48 * 1024;
  static constexpr size_t shared_bytes_optin = 227 * 1024;
  static constexpr int multiprocessors = 132;
  static constexpr int max_threads_per_multiprocessor = 2048;
};

}  // namespace camp_sim
