// access.cc: where does an access go, and may it?
#include "access.hpp"

#include <string>

#include "race.hpp"
#include "state.hpp"
#include "watchdog.hpp"

namespace camp_sim {
namespace {

constexpr uintptr_t null_page_bytes = 4096;
// A stray address further than this from any tensor is not "past its end".
constexpr uintptr_t plausible_distance = uintptr_t{1} << 40;

const char *word_of(AccessKind kind) {
  return kind == AccessKind::read ? "read" : kind == AccessKind::write ? "write" : "atomic";
}

const char *verb_of(AccessKind kind) {
  return kind == AccessKind::read    ? "reads"
         : kind == AccessKind::write ? "writes"
                                     : "atomically updates";
}

int64_t floor_divide(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// "x[5]" or "x[4..7]": the elements that the access covers, counted from `begin`.
std::string element_range(const std::string &name, uintptr_t begin, size_t element_bytes,
                          uintptr_t address, size_t bytes, int64_t *first) {
  const auto size = static_cast<int64_t>(element_bytes);
  const auto from = static_cast<int64_t>(address - begin);
  *first = floor_divide(from, size);
  const int64_t last = floor_divide(from + static_cast<int64_t>(bytes) - 1, size);
  return name + '[' + std::to_string(*first) + (last > *first ? ".." + std::to_string(last) : "") +
         ']';
}

struct Target {
  std::string name;
  const char *space;
  uintptr_t begin;
  size_t element_bytes;
  int64_t elements;
};

// An allocation has no element type: it is counted in elements of the access.
Target target_of(const Region &region, size_t bytes) {
  const bool typed = region.kind == Region::Kind::tensor;
  const size_t size = typed ? region.element_bytes : bytes;
  return {region.name, "global", region.begin, size,
          static_cast<int64_t>((region.end - region.begin) / size)};
}

Target target_of(const SharedMemory &shared, const SharedRange &range) {
  return {range.name, "shared", reinterpret_cast<uintptr_t>(shared.pointer(range)),
          range.element_bytes, static_cast<int64_t>(range.bytes / range.element_bytes)};
}

Fault access_fault(const Worker &worker, const char *kind, const char *verdict,
                   const CodeSite &site, AccessKind access, size_t bytes) {
  Fault fault = worker.fault_here(kind, verdict, site);
  fault.access = word_of(access);
  fault.bytes = bytes;
  return fault;
}

std::string describe(Fault &fault, const Target &target, uintptr_t address, size_t bytes) {
  fault.tensor = target.name;
  fault.space = target.space;
  fault.has_index = true;
  fault.elements = target.elements;
  return element_range(target.name, target.begin, target.element_bytes, address, bytes,
                       &fault.index);
}

[[noreturn]] void refuse(Worker &worker, Fault fault) {
  fault_log().add(std::move(fault));
  worker.end_lane(LaneState::killed);
}

[[noreturn]] void out_of_bounds(Worker &worker, const Target *target, uintptr_t address,
                                size_t bytes, AccessKind kind, const CodeSite &site) {
  if (address < null_page_bytes) {
    Fault fault = access_fault(worker, "null_pointer", "OOB", site, kind, bytes);
    fault.message = std::string("a thread ") + verb_of(kind) + " through a null pointer";
    fault.advice = "Check which pointer is passed to the kernel, and whether it is set.";
    refuse(worker, std::move(fault));
  }
  Fault fault = access_fault(worker, "out_of_bounds", "OOB", site, kind, bytes);
  if (target == nullptr) {
    fault.space = "host";
    fault.message = std::string("a thread ") + verb_of(kind) +
                    " memory that belongs to no tensor, workspace or shared variable";
    fault.advice = "A kernel may touch only what it was given: check the pointer arithmetic.";
    refuse(worker, std::move(fault));
  }
  const std::string range = describe(fault, *target, address, bytes);
  fault.message = std::string("a thread ") + verb_of(kind) + ' ' + range + ", but " + target->name +
                  " has " + std::to_string(target->elements) +
                  (target->elements == 1 ? " element" : " elements");
  const bool wide = bytes > target->element_bytes;
  fault.advice = fault.index < 0 ? "The index is negative: check the subtraction that made it."
                 : wide ? "Compare the last element of the vector access with the length, not the "
                          "first."
                        : "Compare the index with the length before the access.";
  refuse(worker, std::move(fault));
}

void uninitialised(const Worker &worker, const Target &target, uintptr_t address, size_t bytes,
                   AccessKind kind, const CodeSite &site) {
  if (fault_log().bump("uninitialised_read", site, {})) {
    return;
  }
  Fault fault = access_fault(worker, "uninitialised_read", "UNINIT", site, kind, bytes);
  const std::string range = describe(fault, target, address, bytes);
  fault.message = "a thread " + std::string(verb_of(kind)) + ' ' + range +
                  " before anything wrote it" +
                  (std::string(target.space) == "shared" ? " in this block" : "");
  fault.advice = std::string(target.space) == "shared"
                     ? "Shared memory starts with rubbish: fill every element that is read, also "
                       "those past the end of the data."
                     : "Outputs and workspace start with rubbish: write them, or zero them in the "
                       "launcher, before they are read.";
  fault_log().add(std::move(fault));
}

// Bytes of word `at` that [address, address + bytes) covers, as a 4-bit mask.
uint32_t covered(uintptr_t at, uintptr_t address, size_t bytes) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    if (at + i >= address && at + i < address + bytes) {
      mask |= 1u << i;
    }
  }
  return mask;
}

TrafficKind traffic_kind(AccessKind kind, bool shared) {
  switch (kind) {
    case AccessKind::read:
      return shared ? TrafficKind::shared_load : TrafficKind::global_load;
    case AccessKind::write:
      return shared ? TrafficKind::shared_store : TrafficKind::global_store;
    default:
      return shared ? TrafficKind::shared_atomic : TrafficKind::global_atomic;
  }
}

void check_shared(Worker &worker, Lane &lane, uintptr_t address, size_t bytes, AccessKind kind,
                  const CodeSite &site, uint32_t site_id) {
  SharedMemory &shared = worker.shared;
  const SharedRange *range = shared.locate(address, bytes);
  if (range == nullptr) {
    const SharedRange *near = shared.nearest(address);
    if (near == nullptr) {
      out_of_bounds(worker, nullptr, address, bytes, kind, site);
    }
    const Target target = target_of(shared, *near);
    out_of_bounds(worker, &target, address, bytes, kind, site);
  }
  for (uintptr_t at = address & ~uintptr_t{3}; at < address + bytes; at += 4) {
    const uint32_t mask = covered(at, address, bytes);
    Word &word = shared.word(at);
    const uint32_t written = shared.written(word);
    if (kind != AccessKind::write && (mask & ~written) != 0) {
      uninitialised(worker, target_of(shared, *range), address, bytes, kind, site);
    }
    if ((mask & ~written) != 0) {
      shared.set_written(word, written | mask);
    }
    check_race(worker, lane, word, mask, kind, site_id, true,
               RaceTarget{range->name, reinterpret_cast<uintptr_t>(shared.pointer(*range)),
                          range->element_bytes, at});
  }
  worker.counters.count(lane.warp->counters, lane.lane, lane.warp->alive_mask(), site_id,
                        traffic_kind(kind, true),
                        shared.offset_of(address) - range->offset + range->packed, bytes);
}

const Region *find_region(Worker &worker, uintptr_t address, size_t bytes, bool writes) {
  for (const Region *&recent : worker.last_region) {
    if (recent != nullptr && recent->contains(address, bytes) && (!writes || recent->writable)) {
      return recent;
    }
  }
  const Region *read_only = nullptr;
  for (const Region *region : regions().visible()) {
    if (region->contains(address, bytes)) {
      if (region->writable || !writes) {
        worker.last_region[region->writable ? 1 : 0] = region;
        return region;
      }
      read_only = region;  // memory that is an output too may follow
    }
  }
  return read_only;
}

void check_global(Worker &worker, Lane &lane, uintptr_t address, size_t bytes, AccessKind kind,
                  const CodeSite &site, uint32_t site_id) {
  const bool writes = kind != AccessKind::read;
  const Region *region = find_region(worker, address, bytes, writes);
  if (region == nullptr) {
    const Region *near = regions().nearest(address);
    const bool plausible =
        near != nullptr && (address > near->begin ? address - near->begin : near->begin - address) <
                               plausible_distance;
    if (!plausible) {
      out_of_bounds(worker, nullptr, address, bytes, kind, site);
    }
    const Target target = target_of(*near, bytes);
    out_of_bounds(worker, &target, address, bytes, kind, site);
  }
  if (writes && !region->writable) {
    Fault fault = access_fault(worker, "input_write", "OOB", site, kind, bytes);
    const std::string range = describe(fault, target_of(*region, bytes), address, bytes);
    fault.message = "a thread " + std::string(verb_of(kind)) + ' ' + range + ", but " +
                    region->name + " is an input";
    fault.advice = "Inputs belong to the caller: write to the output or to shared memory.";
    refuse(worker, std::move(fault));
  }
  if (region->shadow != nullptr) {
    for (uintptr_t at = address & ~uintptr_t{3}; at < address + bytes; at += 4) {
      const uint32_t mask = covered(at, address, bytes);
      Word &word = region->word(at);
      const auto written = static_cast<uint32_t>(word.state.load(std::memory_order_relaxed));
      if (kind != AccessKind::write && (mask & ~written) != 0) {
        uninitialised(worker, target_of(*region, bytes), address, bytes, kind, site);
      }
      if ((mask & ~written) != 0) {
        word.state.fetch_or(mask, std::memory_order_relaxed);
      }
      check_race(worker, lane, word, mask, kind, site_id, false,
                 RaceTarget{region->name.c_str(), region->begin, region->element_bytes, at});
    }
  }
  worker.counters.count(lane.warp->counters, lane.lane, lane.warp->alive_mask(), site_id,
                        traffic_kind(kind, false), address, bytes);
}

}  // namespace

void check_access(Worker &worker, uintptr_t address, size_t bytes, AccessKind kind,
                  const CodeSite &site) {
  Lane &lane = *worker.current;
  worker.last_pc = site.pc;
  if (worker.launch->expired.load(std::memory_order_relaxed)) {
    stop_expired(worker, site);
  }
  if (address - lane.stack_low < StackPool::stack_bytes) {
    return;  // a local variable
  }
  const auto frame = reinterpret_cast<uintptr_t>(worker.launch->frame);
  if (address - frame < worker.launch->frame_bytes) {
    return;  // a kernel parameter
  }
  const Inside inside(worker);
  if (lane.overwrite.address != 0 || lane.atomic_key != 0) {
    settle(worker, lane);
  }
  const uint32_t site_id = worker.counters.site_of(site.pc, site.line);
  if (worker.shared.contains(address)) {
    check_shared(worker, lane, address, bytes, kind, site, site_id);
  } else {
    check_global(worker, lane, address, bytes, kind, site, site_id);
  }
}

}  // namespace camp_sim
