// fiber.hpp: the smallest possible coroutine, one for each simulated CUDA thread.
//
// A switch saves the callee-saved registers only (about 12 ns on x86-64; ucontext takes 220 ns
// because it also saves the signal mask with a system call).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" void camp_sim_fiber_switch(void **save, void *load)
    __attribute__((visibility("hidden")));

namespace camp_sim {

// Prepares `stack_top` so that the first switch to the returned stack pointer calls `entry()`,
// which must never return.
void *fiber_prepare(void *stack_top, void (*entry)());

// Saves this context in *save and continues at `load`.
inline void fiber_switch(void **save, void *load) {
  camp_sim_fiber_switch(save, load);
}

// Stacks with a guard page below each, made on demand and kept. A stack costs the memory it
// touches.
class StackPool {
 public:
  static constexpr size_t stack_bytes = 256 * 1024;

  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;

  // Makes sure stacks [0, count) exist; throws std::bad_alloc when memory is short.
  void reserve(size_t count);
  uintptr_t low(size_t index) const { return lows_[index]; }
  // Tops are staggered: equal offsets within a page would fight for the same cache sets.
  void *top(size_t index) const;
  // True when `address` lies in the guard page of any stack.
  bool is_guard(uintptr_t address) const;

 private:
  std::vector<uintptr_t> lows_;
  std::vector<void *> chunks_;
};

}  // namespace camp_sim
