// shared_memory.cc: placing shared variables and telling them apart.
#include "shared_memory.hpp"

#include <cstring>
#include <new>

#include "camp_sim/engine.h"

namespace camp_sim {

SharedRange SharedLayout::place(const SharedVariable *variable, size_t bytes, size_t alignment,
                                size_t element_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const SharedRange &range : ranges_) {
    if (range.variable == variable) {
      return range;
    }
  }
  SharedRange range;
  range.variable = variable;
  range.name = variable->name;
  range.bytes = bytes;
  range.element_bytes = element_bytes;
  range.packed = (packed_end_ + alignment - 1) / alignment * alignment;
  range.offset = range.packed + ranges_.size() * SharedMemory::gap_bytes;
  if (range.offset + bytes + SharedMemory::gap_bytes > SharedMemory::dynamic_offset) {
    range.bytes = 0;
    return range;
  }
  packed_end_ = range.packed + bytes;
  ranges_.push_back(range);
  return range;
}

size_t SharedLayout::static_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return packed_end_;
}

void SharedMemory::allocate() {
  memory_.reset(static_cast<char *>(std::aligned_alloc(1024, arena_bytes)));
  shadow_.reset(static_cast<Word *>(std::calloc(arena_bytes / 4, sizeof(Word))));
  if (memory_ == nullptr || shadow_ == nullptr) {
    throw std::bad_alloc();
  }
  base_ = memory_.get();
}

void SharedMemory::begin_launch(size_t dynamic_bytes, uint32_t cycle) {
  if (base_ == nullptr) {
    allocate();
  } else if (cycle != cycle_) {
    forget(0, arena_bytes);
  }
  cycle_ = cycle;
  ranges_.clear();
  ranges_.reserve(SharedMemory::dynamic_offset / gap_bytes);  // pointers to ranges stay valid
  last_ = nullptr;
  dynamic_ = SharedRange{};
  dynamic_.name = "dynamic shared memory";
  dynamic_.offset = dynamic_offset;
  dynamic_.bytes = dynamic_bytes;
}

void SharedMemory::begin_block(uint8_t value, bool forget_accesses) {
  ++stamp_;
  const auto reset = [this, value, forget_accesses](const SharedRange &range) {
    poison(range, value);
    if (forget_accesses) {
      forget(range.offset, range.bytes);
    }
  };
  for (const SharedRange &range : ranges_) {
    reset(range);
  }
  reset(dynamic_);
}

void SharedMemory::forget(size_t offset, size_t bytes) {
  for (size_t at = offset / 4; at < (offset + bytes + 3) / 4; ++at) {
    for (auto &cell : shadow_[at].cells) {
      cell.store(0, std::memory_order_relaxed);
    }
  }
}

void SharedMemory::poison(const SharedRange &range, uint8_t value) {
  std::memset(base_ + range.offset, value, range.bytes);
}

const SharedRange *SharedMemory::find(const SharedVariable *variable) const {
  for (const SharedRange &range : ranges_) {
    if (range.variable == variable) {
      return &range;
    }
  }
  return nullptr;
}

const SharedRange &SharedMemory::add(const SharedRange &range) {
  ranges_.push_back(range);
  return ranges_.back();
}

const SharedRange *SharedMemory::search(size_t offset, size_t bytes) {
  if (dynamic_.holds(offset, bytes)) {
    return last_ = &dynamic_;
  }
  for (const SharedRange &range : ranges_) {
    if (range.holds(offset, bytes)) {
      return last_ = &range;
    }
  }
  return nullptr;
}

const SharedRange *SharedMemory::nearest(uintptr_t address) const {
  const size_t offset = offset_of(address);
  if (offset >= dynamic_offset - gap_bytes && (dynamic_.bytes > 0 || ranges_.empty())) {
    return &dynamic_;
  }
  const SharedRange *best = nullptr;
  for (const SharedRange &range : ranges_) {
    if (range.offset <= offset && (best == nullptr || range.offset > best->offset)) {
      best = &range;
    }
  }
  return best != nullptr || ranges_.empty() ? best : &ranges_.front();
}

}  // namespace camp_sim
