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
  // Whether the access in `cell` is among what a lane of block `reader` knows.
  bool covers(Cell cell, uint32_t reader, int depth = 0) const;
};

// What a lane knew at its last fence, or several lanes together.
struct Release {
  uint32_t block = 0;
  uint32_t block_clock = 0;      // everything in the block before this one,
  uint32_t first_thread = 0;     // and of the threads from this one on
  std::vector<uint32_t> clocks;  // the accesses up to these
  Knowledge acquired;
  bool block_only = false;               // by __threadfence_block: other blocks learn nothing of it
  std::shared_ptr<const Release> wider;  // with block_only: the last fence for all blocks, if any

  // Whether the access in `cell`, of the same block, is among it.
  bool covers(Cell cell) const;
  bool reaches(uint32_t reader) const { return !block_only || block == reader; }
};

// Lanes that meet: what one has fenced, another may publish.
class FenceJoin {
 public:
  void add(const std::shared_ptr<const Release> &fenced);
  const std::shared_ptr<const Release> &result() const { return result_; }  // null: no fence

 private:
  std::shared_ptr<const Release> result_;
  std::shared_ptr<Release> merged_;  // the result, once it is more than one
};

// The releases made at one address, oldest first.
struct SyncVariable {
  std::vector<std::shared_ptr<const Release>> history;
  std::unordered_map<uint32_t, std::vector<size_t>> by_block;

  bool covers(Cell cell, size_t length, uint32_t reader, int depth) const;
};

// All sync variables of one launch. Thread-safe.
class SyncTable {
 public:
  // `key`: an address, made unique per block where the memory is shared. A lane publishes what it
  // knew at its fence before its atomic happens, and acquires what others published after it:
  // blocks run on several host threads, and another one may come in between.
  void publish(uint64_t key, const std::shared_ptr<const Release> &fenced);
  void acquire(uint64_t key, Knowledge &acquired);
  bool covers(const Knowledge &knowledge, Cell cell, uint32_t reader);

 private:
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::unique_ptr<SyncVariable>> variables_;
};

// A plain access that is a race unless what follows it shows otherwise: a write over bytes that
// another thread wrote, unless they stay the same; a read of bytes that another thread updated
// atomically, unless it is the first guess of a compare-and-swap of them.
struct PendingOverwrite {
  // What is overwritten of one word: the widest access has four, one may be cut at both ends.
  struct Part {
    uintptr_t address = 0;
    uint32_t bytes = 0;
    uint8_t old_value[4] = {};
    Cell other;
  };
  Part parts[5];
  uint32_t count = 0;
  Cell own;

  bool is_guess() const { return count != 0 && !own.write(); }
};

}  // namespace camp_sim
