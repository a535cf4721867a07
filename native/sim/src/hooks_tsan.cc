// hooks_tsan.cc: the functions that a compiler calls with -fsanitize=thread. The library of
// Google's sanitizer is not linked; these take its place, and do nothing outside a kernel.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "access.hpp"
#include "state.hpp"

#define HOOK extern "C" CAMP_SIM_API

namespace camp_sim {
namespace {

template <size_t bytes, AccessKind kind>
void on_access(const volatile void *pointer, const void *pc) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return;
  }
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  Lane &lane = *worker->current;
  if (address - lane.stack_low < StackPool::stack_bytes) {
    return;  // a local variable
  }
  if constexpr (bytes % 4 == 0 && kind != AccessKind::atomic) {
    worker->last_pc = pc;
    const Inside inside(*worker);
    if (check_usual<bytes, kind == AccessKind::write>(*worker, lane, address, pc)) {
      return;
    }
  }
  check_access(*worker, Access{address, bytes, kind, CodeSite{pc, {nullptr, 0}}});
}

// A struct copy: the hardware moves at most 16 bytes a lane in one access.
inline void on_range(const void *address, size_t bytes, AccessKind kind, const void *pc) {
  constexpr size_t widest = 16;
  Worker *worker = worker_in_kernel(this_worker());
  for (size_t at = 0; worker != nullptr && at < bytes; at += widest) {
    check_access(*worker, Access{reinterpret_cast<uintptr_t>(address) + at,
                                 bytes - at < widest ? bytes - at : widest, kind,
                                 CodeSite{pc, {nullptr, 0}}});
  }
}

// A lane that spins on memory must let the lane run that will write it.
template <size_t bytes, AccessKind kind>
void on_volatile(const volatile void *address, const void *pc) {
  on_access<bytes, kind>(address, pc);
  if (Worker *worker = worker_in_kernel(this_worker())) {
    worker->give_way();
  }
}

}  // namespace
}  // namespace camp_sim

using camp_sim::AccessKind;
using camp_sim::on_access;
using camp_sim::on_volatile;

#define ACCESS_HOOKS(bytes)                                                      \
  HOOK void __tsan_read##bytes(void *address) {                                  \
    on_access<bytes, AccessKind::read>(address, __builtin_return_address(0));    \
  }                                                                              \
  HOOK void __tsan_write##bytes(void *address) {                                 \
    on_access<bytes, AccessKind::write>(address, __builtin_return_address(0));   \
  }                                                                              \
  HOOK void __tsan_unaligned_read##bytes(void *address) {                        \
    on_access<bytes, AccessKind::read>(address, __builtin_return_address(0));    \
  }                                                                              \
  HOOK void __tsan_unaligned_write##bytes(void *address) {                       \
    on_access<bytes, AccessKind::write>(address, __builtin_return_address(0));   \
  }                                                                              \
  HOOK void __tsan_read_write##bytes(void *address) {                            \
    on_access<bytes, AccessKind::read>(address, __builtin_return_address(0));    \
    on_access<bytes, AccessKind::write>(address, __builtin_return_address(0));   \
  }                                                                              \
  HOOK void __tsan_volatile_read##bytes(void *address) {                         \
    on_volatile<bytes, AccessKind::read>(address, __builtin_return_address(0));  \
  }                                                                              \
  HOOK void __tsan_volatile_write##bytes(void *address) {                        \
    on_volatile<bytes, AccessKind::write>(address, __builtin_return_address(0)); \
  }                                                                              \
  HOOK void __tsan_unaligned_volatile_read##bytes(void *address) {               \
    on_volatile<bytes, AccessKind::read>(address, __builtin_return_address(0));  \
  }                                                                              \
  HOOK void __tsan_unaligned_volatile_write##bytes(void *address) {              \
    on_volatile<bytes, AccessKind::write>(address, __builtin_return_address(0)); \
  }
ACCESS_HOOKS(1)
ACCESS_HOOKS(2)
ACCESS_HOOKS(4)
ACCESS_HOOKS(8)
ACCESS_HOOKS(16)

HOOK void __tsan_init() {}
HOOK void __tsan_func_entry(void *) {}
HOOK void __tsan_func_exit() {}
HOOK void __tsan_vptr_update(void **, void *) {}
HOOK void __tsan_vptr_read(void **) {}
HOOK void __tsan_read_range(void *address, unsigned long bytes) {
  camp_sim::on_range(address, bytes, AccessKind::read, __builtin_return_address(0));
}
HOOK void __tsan_write_range(void *address, unsigned long bytes) {
  camp_sim::on_range(address, bytes, AccessKind::write, __builtin_return_address(0));
}
// Clang calls these in place of memcpy and its kin.
HOOK void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
  camp_sim::on_range(from, bytes, AccessKind::read, __builtin_return_address(0));
  camp_sim::on_range(to, bytes, AccessKind::write, __builtin_return_address(0));
  return std::memcpy(to, from, bytes);
}
HOOK void *__tsan_memmove(void *to, const void *from, size_t bytes) {
  camp_sim::on_range(from, bytes, AccessKind::read, __builtin_return_address(0));
  camp_sim::on_range(to, bytes, AccessKind::write, __builtin_return_address(0));
  return std::memmove(to, from, bytes);
}
HOOK void *__tsan_memset(void *to, int value, size_t bytes) {
  camp_sim::on_range(to, bytes, AccessKind::write, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}

// The compiler's own atomics (std::atomic, __atomic_*): the order is taken as the strongest.
#define ATOMIC_HOOKS(bits, type)                                                                   \
  HOOK type __tsan_atomic##bits##_load(const volatile type *p, int) {                              \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  HOOK void __tsan_atomic##bits##_store(volatile type *p, type v, int) {                           \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                \
  HOOK type __tsan_atomic##bits##_exchange(volatile type *p, type v, int) {                        \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  HOOK type __tsan_atomic##bits##_fetch_add(volatile type *p, type v, int) {                       \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  HOOK type __tsan_atomic##bits##_fetch_sub(volatile type *p, type v, int) {                       \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  HOOK type __tsan_atomic##bits##_fetch_and(volatile type *p, type v, int) {                       \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  HOOK type __tsan_atomic##bits##_fetch_or(volatile type *p, type v, int) {                        \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                              \
  }                                                                                                \
  HOOK type __tsan_atomic##bits##_fetch_xor(volatile type *p, type v, int) {                       \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *expected, type v, \
                                                         int, int) {                               \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                \
  HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *expected, type v,   \
                                                       int, int) {                                 \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    return __atomic_compare_exchange_n(p, expected, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
  }                                                                                                \
  HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected, type v,    \
                                                       int, int) {                                 \
    on_access<sizeof(type), AccessKind::atomic>(p, __builtin_return_address(0));                   \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return expected;                                                                               \
  }
ATOMIC_HOOKS(8, uint8_t)
ATOMIC_HOOKS(16, uint16_t)
ATOMIC_HOOKS(32, uint32_t)
ATOMIC_HOOKS(64, uint64_t)

HOOK void __tsan_atomic_thread_fence(int) {
  camp_sim::memory_fence(camp_sim::Scope::device, {nullptr, 0});
}
HOOK void __tsan_atomic_signal_fence(int) {}
