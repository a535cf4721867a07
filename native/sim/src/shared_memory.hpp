// shared_memory.hpp: a block's shared memory: where each variable lies, and its shadow.
//
// Variables are laid out one after the other as a compiler would, which decides their banks, but in
// the host's memory each is followed by a gap, so that running past one is seen even when another
// follows.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "camp_sim/shared.h"
#include "cell.hpp"
#include "region.hpp"

namespace camp_sim {

struct SharedRange {
  const SharedVariable *variable = nullptr;  // null: the dynamic part
  const char *name = "";
  size_t packed = 0;  // offset in the GPU's shared memory
  size_t offset = 0;  // offset in the arena
  size_t bytes = 0;
  size_t element_bytes = 1;

  bool holds(size_t at, size_t count) const { return at >= offset && at + count <= offset + bytes; }
};

// One launch's layout, shared by its workers so that every block sees the same offsets.
class SharedLayout {
 public:
  // Places `variable` unless it is placed; a range with 0 bytes where there is no room.
  SharedRange place(const SharedVariable *variable, size_t bytes, size_t alignment,
                    size_t element_bytes);
  size_t static_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::vector<SharedRange> ranges_;
  size_t packed_end_ = 0;
};

class SharedMemory {
 public:
  static constexpr size_t gap_bytes = 1024;  // a multiple of the banks' period of 128 bytes
  static constexpr size_t dynamic_offset = 256 * 1024;
  static constexpr size_t arena_bytes = dynamic_offset + 232 * 1024;

  // A new launch forgets the layout; `dynamic_bytes` as the launch asked. A new `cycle` of the
  // generations forgets all accesses: old ones would look like those of this launch.
  void begin_launch(size_t dynamic_bytes, uint32_t cycle);
  // A new block: poisons what the last one may have touched and forgets what was written.
  void begin_block(uint8_t poison, bool forget_accesses);

  const SharedRange *find(const SharedVariable *variable) const;
  const SharedRange &add(const SharedRange &range);
  void poison(const SharedRange &range, uint8_t value);
  SharedRange &dynamic() { return dynamic_; }
  void *pointer(const SharedRange &range) const { return base_ + range.offset; }

  bool contains(uintptr_t address) const {
    return address - reinterpret_cast<uintptr_t>(base_) < arena_bytes;
  }
  // The variable that holds all of [address, address + bytes), or null.
  const SharedRange *locate(uintptr_t address, size_t bytes) {
    const size_t offset = offset_of(address);
    return last_ != nullptr && last_->holds(offset, bytes) ? last_ : search(offset, bytes);
  }
  // The variable at or before `address`, for messages; null when there is none.
  const SharedRange *nearest(uintptr_t address) const;
  size_t offset_of(uintptr_t address) const { return address - reinterpret_cast<uintptr_t>(base_); }
  Word *shadow_of(const SharedRange &range) { return &shadow_[range.offset >> 2]; }
  Word &word(uintptr_t address) { return shadow_[offset_of(address) >> 2]; }
  // Bytes of the word written in this block (4 bits).
  uint32_t written(const Word &word) const {
    const uint64_t state = word.state.load(std::memory_order_relaxed);
    return (state >> 4) == stamp_ ? state & 0xf : 0;
  }
  // The state of a word that is written whole.
  uint64_t all_written() const { return stamp_ << 4 | Word::all_written; }
  void set_written(Word &word, uint32_t mask) const {
    word.state.store(stamp_ << 4 | mask, std::memory_order_relaxed);
  }

 private:
  void allocate();
  void forget(size_t offset, size_t bytes);
  const SharedRange *search(size_t offset, size_t bytes);

  char *base_ = nullptr;
  std::unique_ptr<char, FreeDeleter> memory_;
  std::unique_ptr<Word[], FreeDeleter> shadow_;
  std::vector<SharedRange> ranges_;
  SharedRange dynamic_;
  const SharedRange *last_ = nullptr;
  uint64_t stamp_ = 1;
  uint32_t cycle_ = 0;
};

}  // namespace camp_sim
