// region.cc: the table of global memory.
#include "region.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "elf_symbols.hpp"

namespace camp_sim {

namespace {

// A kernel that touches a large tensor would spend a tenth of its time on the page faults of the
// shadow. Advice only: where the system has no such pages nothing changes.
void prefer_huge_pages(void *memory, size_t bytes) {
  constexpr uintptr_t huge = 2 * 1024 * 1024;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(memory) + huge - 1) & ~(huge - 1);
  const uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + bytes) & ~(huge - 1);
  if (begin < end) {
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
  }
}

}  // namespace

void FreeDeleter::operator()(void *p) const {
  std::free(p);
}

void Region::make_shadow() {
  const size_t words = end == begin ? 0 : ((end - 1) >> 2) - (begin >> 2) + 1;
  // calloc hands out untouched pages for large sizes: shadow costs what the kernel touches.
  auto *memory = static_cast<Word *>(std::calloc(words == 0 ? 1 : words, sizeof(Word)));
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  shadow.reset(memory);
  prefer_huge_pages(memory, words * sizeof(Word));
}

void Region::mark_written(uintptr_t from, size_t bytes) const {
  if (shadow == nullptr) {
    return;
  }
  const uintptr_t first = std::max(from, begin);
  const uintptr_t last = std::min(from + bytes, end);
  for (uintptr_t address = first; address < last; ++address) {
    if ((address & 3) == 0 && address + 4 <= last) {
      word(address).state.store(0xf, std::memory_order_relaxed);
      address += 3;
    } else {
      word(address).state.fetch_or(uint64_t{1} << (address & 3), std::memory_order_relaxed);
    }
  }
}

RegionTable &regions() {
  static RegionTable table;
  return table;
}

void RegionTable::add_allocation(void *pointer, size_t bytes, const char *name) {
  auto region = std::make_unique<Region>();
  region->begin = reinterpret_cast<uintptr_t>(pointer);
  region->end = region->begin + bytes;
  region->name = name == nullptr ? "an allocation" : name;
  region->writable = true;
  region->kind = Region::Kind::allocation;
  const std::lock_guard<std::mutex> lock(mutex_);
  allocations_.push_back(std::move(region));
}

void RegionTable::remove_allocation(void *pointer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto begin = reinterpret_cast<uintptr_t>(pointer);
  allocations_.erase(std::remove_if(allocations_.begin(), allocations_.end(),
                                    [begin](const auto &region) { return region->begin == begin; }),
                     allocations_.end());
}

void RegionTable::bind(Tensors tensors) {
  bind_again(std::make_shared<Tensors>(std::move(tensors)));
}

void RegionTable::unbind() {
  bind_again(std::make_shared<Tensors>());
}

std::shared_ptr<Tensors> RegionTable::keep_bound() {
  const std::lock_guard<std::mutex> lock(mutex_);
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(),
                             [](const std::weak_ptr<Tensors> &kept) { return kept.expired(); }),
              kept_.end());
  kept_.push_back(bound_);
  return bound_;
}

void RegionTable::bind_again(std::shared_ptr<Tensors> tensors) {
  const std::lock_guard<std::mutex> lock(mutex_);
  visible_.clear();
  bound_ = std::move(tensors);
}

namespace {

struct Segment {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool writable = false;
};

struct ModuleSearch {
  const void *base;
  std::vector<Segment> segments;
};

int collect_segments(dl_phdr_info *info, size_t, void *data) {
  auto *search = static_cast<ModuleSearch *>(data);
  if (reinterpret_cast<const void *>(info->dlpi_addr) != search->base) {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto &header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && (header.p_flags & PF_X) == 0) {
      const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
      search->segments.push_back({begin, begin + header.p_memsz, (header.p_flags & PF_W) != 0});
    }
  }
  return 1;
}

std::unique_ptr<Region> module_region(uintptr_t begin, uintptr_t end, std::string name) {
  auto region = std::make_unique<Region>();
  region->begin = begin;
  region->end = end;
  region->name = std::move(name);
  region->writable = true;  // constant segments are guarded by the hardware itself
  region->kind = Region::Kind::module;
  return region;
}

}  // namespace

void RegionTable::add_module_of(const void *code) {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fbase == nullptr) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!known_modules_.insert(info.dli_fbase).second) {
    return;
  }
  ModuleSearch search{info.dli_fbase, {}};
  dl_iterate_phdr(collect_segments, &search);
  const std::vector<VariableSymbol> variables = variables_beside(code);
  for (const Segment &segment : search.segments) {
    const auto inside = [&segment](const VariableSymbol &variable) {
      return variable.address >= segment.begin && variable.address < segment.end;
    };
    // Without a symbol table, or in constant data, all of it is one variable.
    if (!segment.writable || std::none_of(variables.begin(), variables.end(), inside)) {
      modules_.push_back(module_region(segment.begin, segment.end, "a variable of the module"));
      continue;
    }
    for (const VariableSymbol &variable : variables) {
      if (inside(variable)) {
        modules_.push_back(
            module_region(variable.address, variable.address + variable.bytes, variable.name));
        modules_.back()->make_shadow();
      }
    }
  }
}

void RegionTable::mark_written(const void *pointer, size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto from = reinterpret_cast<uintptr_t>(pointer);
  for (const Region &region : *bound_) {
    region.mark_written(from, bytes);
  }
  for (const auto &region : allocations_) {
    if (from < region->end && from + bytes > region->begin) {
      if (region->shadow == nullptr) {
        region->make_shadow();
      }
      region->mark_written(from, bytes);
    }
  }
}

void RegionTable::keep_written(Region &region) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto holder =
      std::find_if(allocations_.begin(), allocations_.end(), [&region](const auto &allocation) {
        return allocation->contains(region.begin, region.end - region.begin);
      });
  if (holder == allocations_.end()) {
    region.mark_written(region.begin, region.end - region.begin);
    return;
  }
  if ((*holder)->shadow == nullptr) {
    return;  // the host has written nothing there
  }
  for (uintptr_t address = region.begin & ~uintptr_t{3}; address < region.end; address += 4) {
    region.word(address).state.store((*holder)->word(address).state.load(std::memory_order_relaxed),
                                     std::memory_order_relaxed);
  }
}

void RegionTable::refresh() {
  const std::lock_guard<std::mutex> lock(mutex_);
  visible_.clear();
  for (const Region &region : *bound_) {
    visible_.push_back(&region);
  }
  for (const auto &allocation : allocations_) {
    const bool holds_tensor =
        std::any_of(bound_->begin(), bound_->end(), [&allocation](const Region &region) {
          return region.begin < allocation->end && region.end > allocation->begin;
        });
    if (!holds_tensor) {
      if (allocation->shadow == nullptr) {
        allocation->make_shadow();
      }
      visible_.push_back(allocation.get());
    }
  }
  for (const auto &module : modules_) {
    visible_.push_back(module.get());
  }
}

const Region *RegionTable::nearest(uintptr_t address) const {
  const Region *best = nullptr;
  uintptr_t best_distance = UINTPTR_MAX;
  for (const Region *region : visible_) {
    if (region->kind == Region::Kind::module) {
      continue;
    }
    const uintptr_t distance = address < region->begin  ? region->begin - address
                               : address >= region->end ? address - region->end
                                                        : 0;
    if (distance < best_distance) {
      best = region;
      best_distance = distance;
    }
  }
  return best;
}

void RegionTable::forget_accesses() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto forget = [](const Region &region) {
    if (region.shadow == nullptr) {
      return;
    }
    const size_t words =
        region.end == region.begin ? 0 : ((region.end - 1) >> 2) - (region.begin >> 2) + 1;
    for (size_t i = 0; i < words; ++i) {
      for (auto &cell : region.shadow[i].cells) {
        cell.store(0, std::memory_order_relaxed);
      }
    }
  };
  for (const Region &region : *bound_) {
    forget(region);
  }
  for (const auto &kept : kept_) {
    if (const auto tensors = kept.lock()) std::for_each(tensors->begin(), tensors->end(), forget);
  }
  for (const auto &region : allocations_) {
    forget(*region);
  }
  for (const auto &region : modules_) {
    forget(*region);
  }
}

}  // namespace camp_sim
