// prefetch.cuh: bringing memory into the L2 cache before it is read.
#pragma once

#include <cuda_runtime.h>

namespace camp {

inline constexpr int kLineBytes = 128;  // of the L2 cache

// Asks for the line that holds the byte at `pointer`; nothing waits for it. The simulator has no
// cache, and does nothing.
__device__ __forceinline__ void prefetch_line(const void *pointer) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(pointer)));
#else
  static_cast<void>(pointer);
#endif
}

}  // namespace camp
