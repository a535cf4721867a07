// handover.cuh: every block of a grid hands one float to one block, which finishes for all of them,
// within the same launch and in a fixed order.
//
// Blocks cannot wait for each other in general: a block that waits may keep the one it waits for
// from starting. But the block that started last may wait, for all others run already. So each
// block draws a ticket when it starts, and the one with the highest ticket finishes. A value and
// the flag that says it is there are one word of 8 bytes, stored and loaded whole: no fence is
// needed.
//
// The words lie in the workspace: zeros before a launch, and zeros again after it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace camp {

// The tickets drawn so far, then one slot a block.
using HandoverWord = unsigned long long;

// Bytes of workspace for a grid of `blocks` blocks, of one or two dimensions.
inline size_t handover_bytes(int64_t blocks) {
  return static_cast<size_t>(blocks + 1) * sizeof(HandoverWord);
}

namespace detail {

__device__ __forceinline__ HandoverWord load_word(HandoverWord *word) {
#if defined(__CUDA_ARCH__)
  HandoverWord value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
#else
  return atomicAdd(word, HandoverWord{0});
#endif
}

__device__ __forceinline__ void store_word(HandoverWord *word, HandoverWord value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#else
  atomicExch(word, value);
#endif
}

}  // namespace detail

// Draws the block's ticket: [0, blocks) in the order in which blocks start. Valid in thread 0.
// Called first of all, so that the answer arrives while the block works.
__device__ __forceinline__ HandoverWord draw_ticket(HandoverWord *words) {
  return threadIdx.x == 0 ? atomicAdd(words, HandoverWord{1}) : 0;
}

// Hands over thread 0's `value`. Every thread calls it; true, in all of them, in the one block that
// finishes: it takes each value once, and no other block may do anything more.
__device__ __forceinline__ bool hand_over(HandoverWord *words, HandoverWord ticket, float value) {
  __shared__ bool finishes;
  if (threadIdx.x == 0) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    detail::store_word(words + 1 + blockIdx.y * gridDim.x + blockIdx.x,
                       HandoverWord{bits} << 32 | 1u);
    finishes = ticket == gridDim.x * gridDim.y - 1;
    if (finishes) detail::store_word(words, 0);  // all tickets are drawn
  }
  __syncthreads();  // thread 0 has decided before the others read it
  return finishes;
}

// The value that block `block` = blockIdx.y * gridDim.x + blockIdx.x handed over, waiting for it if
// it is still at work, and clears its slot for the next launch.
__device__ __forceinline__ float take_over(HandoverWord *words, unsigned block) {
  HandoverWord word;
  do {
    word = detail::load_word(words + 1 + block);
  } while (word == 0);
  detail::store_word(words + 1 + block, 0);
  const uint32_t bits = static_cast<uint32_t>(word >> 32);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace camp
