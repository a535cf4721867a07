// region.hpp: global memory as kernels may see it, with exact bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cell.hpp"

namespace camp_sim {

struct FreeDeleter {
  void operator()(void *p) const;
};

struct Region {
  enum class Kind : uint8_t { tensor, allocation, module };  // the workspace is bound as a tensor

  uintptr_t begin = 0;
  uintptr_t end = 0;
  std::string name;
  size_t element_bytes = 1;
  bool writable = false;
  Kind kind = Kind::tensor;
  // Shadow of [begin & ~3, end); null for memory that no kernel may write: no race is possible
  // there and the host has filled it.
  std::unique_ptr<Word[], FreeDeleter> shadow;

  bool contains(uintptr_t address, size_t bytes) const {
    return address >= begin && address + bytes <= end;
  }
  Word &word(uintptr_t address) const { return shadow[(address >> 2) - (begin >> 2)]; }
  int64_t elements() const { return static_cast<int64_t>((end - begin) / element_bytes); }
  void make_shadow();
  void mark_written(uintptr_t from, size_t bytes) const;
};

using Tensors = std::vector<Region>;

// Allocations of the process, and the tensors of the execute in progress. Changes happen between
// launches; during one, workers only read.
class RegionTable {
 public:
  void add_allocation(void *pointer, size_t bytes, const char *name);
  void remove_allocation(void *pointer);
  void bind(Tensors tensors);
  void unbind();
  // The tensors of the execute in progress, for a launch of it that is recorded and runs later;
  // then they are bound again.
  std::shared_ptr<Tensors> keep_bound();
  void bind_again(std::shared_ptr<Tensors> tensors);
  // The variables of the library that holds `code`: those __device__ and __constant__, and what the
  // compiler put beside them.
  void add_module_of(const void *code);
  // A host write (a copy, a memset, the host's own stores) makes bytes initialised.
  void mark_written(const void *pointer, size_t bytes);
  // Marks what is initialised already in memory about to be bound: what the host wrote, in an
  // allocation of ours; all of it elsewhere.
  void keep_written(Region &region);

  // What kernels may touch now: the tensors, and allocations that hold none of them.
  void refresh();
  const std::vector<const Region *> &visible() const { return visible_; }
  // The visible region nearest to `address`, for messages; null when there is none.
  const Region *nearest(uintptr_t address) const;
  void forget_accesses();  // empties every shadow cell, keeps what is initialised

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Region>> allocations_;
  std::set<const void *> known_modules_;  // base addresses
  std::vector<std::unique_ptr<Region>> modules_;
  std::shared_ptr<Tensors> bound_ = std::make_shared<Tensors>();
  std::vector<std::weak_ptr<Tensors>> kept_;
  std::vector<const Region *> visible_;
};

RegionTable &regions();

}  // namespace camp_sim
