// fiber.cc: context switch for x86-64 and aarch64, and the stacks.
#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

#if defined(__x86_64__)
// System V ABI: rbx, rbp, r12-r15 survive a call. The entry is reached by `ret`; the pushed zero
// above it keeps the stack aligned as after a call, and ends backtraces.
asm(R"(
.text
.p2align 4
.globl camp_sim_fiber_switch
.hidden camp_sim_fiber_switch
.type camp_sim_fiber_switch, @function
camp_sim_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size camp_sim_fiber_switch, .-camp_sim_fiber_switch
)");
namespace {
constexpr size_t saved_words = 6;
}
#elif defined(__aarch64__)
// AAPCS64: x19-x30 and d8-d15 survive a call.
asm(R"(
.text
.p2align 4
.globl camp_sim_fiber_switch
.hidden camp_sim_fiber_switch
.type camp_sim_fiber_switch, %function
camp_sim_fiber_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size camp_sim_fiber_switch, .-camp_sim_fiber_switch
)");
#else
#error "The simulator's fibers know x86-64 and aarch64 only"
#endif

namespace camp_sim {

void *fiber_prepare(void *stack_top, void (*entry)()) {
  auto *sp = reinterpret_cast<uintptr_t *>(reinterpret_cast<uintptr_t>(stack_top) & ~uintptr_t{15});
#if defined(__x86_64__)
  *--sp = 0;  // after the `ret` below, rsp is 8 past a multiple of 16, as the ABI asks at entry
  *--sp = reinterpret_cast<uintptr_t>(entry);
  for (size_t i = 0; i < saved_words; ++i) {
    *--sp = 0;
  }
#else
  sp -= 20;
  for (int i = 0; i < 20; ++i) {
    sp[i] = 0;
  }
  sp[11] = reinterpret_cast<uintptr_t>(entry);  // x30
#endif
  return sp;
}

namespace {
constexpr size_t guard_bytes = 64 * 1024;  // a multiple of every page size in use
constexpr size_t slots_per_chunk = 32;

// An odd number of pages: at a stride of a power of two the stacks of a block would share a few
// sets of the TLB, and every switch would miss it.
size_t slot_bytes() {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return StackPool::stack_bytes + guard_bytes + page;
}
}  // namespace

StackPool::~StackPool() {
  for (void *chunk : chunks_) {
    munmap(chunk, slot_bytes() * slots_per_chunk);
  }
}

void StackPool::reserve(size_t count) {
  while (lows_.size() < count) {
    // One reservation a warp; only the stacks proper become readable, so guards need no call each.
    void *chunk = mmap(nullptr, slot_bytes() * slots_per_chunk, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (chunk == MAP_FAILED) {
      throw std::bad_alloc();
    }
    chunks_.push_back(chunk);
    for (size_t i = 0; i < slots_per_chunk; ++i) {
      const uintptr_t low = reinterpret_cast<uintptr_t>(chunk) + i * slot_bytes() + guard_bytes;
      if (mprotect(reinterpret_cast<void *>(low), stack_bytes, PROT_READ | PROT_WRITE) != 0) {
        throw std::bad_alloc();
      }
      lows_.push_back(low);
    }
  }
}

void *StackPool::top(size_t index) const {
  const size_t stagger = (index * 320) % 4096;
  return reinterpret_cast<void *>(lows_[index] + stack_bytes - stagger);
}

bool StackPool::is_guard(uintptr_t address) const {
  for (uintptr_t low : lows_) {
    if (address < low && address >= low - guard_bytes) {
      return true;
    }
  }
  return false;
}

}  // namespace camp_sim
