// order.hpp: happens-before. Barriers and __syncwarp by clocks; fences with atomics by releases.
//
// __syncthreads orders a block, __syncwarp(mask) the lanes of its mask. Shuffles and votes make
// lanes wait, but order no memory (PTX ISA, shfl.sync and vote.sync). A fence followed by an atomic
// publishes what the lane knew at the fence; whoever later meets the same address by an atomic
// knows it too.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cell.hpp"

namespace camp_sim {

// The order within one warp.
struct WarpClocks {
  uint32_t base = 1;     // every lane's accesses before it are ordered for every lane of the warp
  bool partial = false;  // some __syncwarp covered part of the warp since: ask the matrix
  uint32_t known[32][32];

  // Lanes of `mask` meet; clocks[i] is lane i's clock. The caller advances the clocks.
  void join(uint32_t mask, const uint32_t *clocks);
};

struct SyncVariable;

// What one lane has learnt through atomics: prefixes of the histories of sync variables.
struct Knowledge {
  struct Prefix {
    const SyncVariable *variable;
    size_t length;
  };
  std::vector<Prefix> prefixes;

  bool empty() const { return prefixes.empty(); }
  void add(const SyncVariable *variable, size_t length);
  void add(const Knowledge &other);
  // Whether the access in `cell` is among what is known.
  bool covers(Cell cell, int depth = 0) const;
};

// What a lane knew at its last fence.
struct Release {
  uint32_t block = 0;
  uint32_t thread = 0;
  uint32_t clock = 0;        // its own accesses up to this clock
  uint32_t block_clock = 0;  // and everything in its block before this one
  Knowledge acquired;
};

// The releases made at one address, oldest first.
struct SyncVariable {
  std::vector<std::shared_ptr<const Release>> history;
  std::unordered_map<uint32_t, std::vector<size_t>> by_block;

  bool covers(Cell cell, size_t length, int depth) const;
};

// All sync variables of one launch. Thread-safe.
class SyncTable {
 public:
  // `key`: an address, made unique per block where the memory is shared. A lane publishes what it
  // knew at its fence before its atomic happens, and acquires what others published after it:
  // blocks run on several host threads, and another one may come in between.
  void publish(uint64_t key, const std::shared_ptr<const Release> &fenced);
  void acquire(uint64_t key, Knowledge &acquired);
  bool covers(const Knowledge &knowledge, Cell cell);

 private:
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::unique_ptr<SyncVariable>> variables_;
};

// A plain write over bytes that another thread wrote, unordered. It is a race unless the bytes stay
// the same, which is known only after it.
struct PendingOverwrite {
  uintptr_t address = 0;  // 0: none
  uint8_t bytes = 0;
  uint8_t old_value[16] = {};
  Cell other;
  Cell own;
};

}  // namespace camp_sim
