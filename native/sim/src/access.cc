// access.cc: where does an access go, and may it?
#include "access.hpp"

#include <string>

#include "watchdog.hpp"

namespace camp_sim {
namespace {

constexpr uintptr_t null_page_bytes = 4096;
// A stray address further than this from any tensor is not "past its end".
constexpr uintptr_t plausible_distance = uintptr_t{1} << 40;
constexpr size_t widest_access = 16;

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
                   const Access &access) {
  Fault fault = worker.fault_here(kind, verdict, access.site);
  fault.access = word_of(access.kind);
  fault.bytes = access.bytes;
  return fault;
}

std::string describe(Fault &fault, const Target &target, const Access &access) {
  fault.tensor = target.name;
  fault.space = target.space;
  fault.has_index = true;
  fault.elements = target.elements;
  return element_range(target.name, target.begin, target.element_bytes, access.address,
                       access.bytes, &fault.index);
}

[[noreturn]] void refuse(Worker &worker, Fault fault) {
  if (worker.launch->options.most_blocks != 0) {  // a sampled launch has shown what it is run for
    worker.launch->abandoned.store(true, std::memory_order_relaxed);
    worker.launch->expired.store(true, std::memory_order_relaxed);
  }
  fault_log().add(std::move(fault));
  worker.end_lane(LaneState::killed);
}

[[noreturn]] void out_of_bounds(Worker &worker, const Target *target, const Access &access) {
  const char *verb = verb_of(access.kind);
  if (access.address < null_page_bytes) {
    Fault fault = access_fault(worker, "null_pointer", "OOB", access);
    fault.message = std::string("a thread ") + verb + " through a null pointer";
    fault.advice = "Check which pointer is passed to the kernel, and whether it is set.";
    refuse(worker, std::move(fault));
  }
  Fault fault = access_fault(worker, "out_of_bounds", "OOB", access);
  if (target == nullptr) {
    fault.space = "host";
    fault.message = std::string("a thread ") + verb +
                    " memory that belongs to no tensor, workspace or shared variable";
    fault.advice = "A kernel may touch only what it was given: check the pointer arithmetic.";
    refuse(worker, std::move(fault));
  }
  const std::string range = describe(fault, *target, access);
  fault.message = std::string("a thread ") + verb + ' ' + range + ", but " + target->name +
                  " has " + std::to_string(target->elements) +
                  (target->elements == 1 ? " element" : " elements");
  const bool wide = access.bytes > target->element_bytes;
  constexpr int64_t wrap = int64_t{1} << 32;
  const bool wrapped = fault.index < 0 && fault.index + wrap >= 0 && target->elements > INT32_MAX;
  fault.advice = wrapped           ? "The index wrapped around in 32 bits: compute it in 64, as in "
                                     "int64_t{blockIdx.x} * blockDim.x + threadIdx.x."
                 : fault.index < 0 ? "The index is negative: check the subtraction that made it."
                 : wide ? "Compare the last element of the vector access with the length, not the "
                          "first."
                        : "Compare the index with the length before the access.";
  refuse(worker, std::move(fault));
}

void uninitialised(const Worker &worker, const Target &target, const Access &access) {
  if (fault_log().bump("uninitialised_read", access.site, {})) {
    return;
  }
  Fault fault = access_fault(worker, "uninitialised_read", "UNINIT", access);
  const std::string range = describe(fault, target, access);
  fault.message = "a thread " + std::string(verb_of(access.kind)) + ' ' + range +
                  " before anything wrote it" +
                  (std::string(target.space) == "shared" ? " in this block" : "");
  fault.advice = std::string(target.space) == "shared"
                     ? "Shared memory starts with rubbish: fill every element that is read, also "
                       "those past the end of the data."
                     : "Outputs start with rubbish: write them, or zero them in the launcher, "
                       "before they are read. A workspace is zeroed once by the one who allocates "
                       "it.";
  fault_log().add(std::move(fault));
}

// Bytes of the word at `at` that an access covers, as a 4-bit mask.
uint32_t covered(const Access &access, uintptr_t at) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    if (at + i >= access.address && at + i < access.end()) {
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

RecentTarget check_shared(Worker &worker, Lane &lane, const Access &access, uint32_t site_id) {
  SharedMemory &shared = worker.shared;
  const SharedRange *range = shared.locate(access.address, access.bytes);
  if (range == nullptr) {
    const SharedRange *near = shared.nearest(access.address);
    if (near == nullptr) {
      out_of_bounds(worker, nullptr, access);
    }
    const Target target = target_of(shared, *near);
    out_of_bounds(worker, &target, access);
  }
  const auto begin = reinterpret_cast<uintptr_t>(shared.pointer(*range));
  for (uintptr_t at = access.first_word(); at < access.end(); at += 4) {
    const uint32_t mask = covered(access, at);
    Word &word = shared.word(at);
    const uint32_t written = shared.written(word);
    if ((mask & ~written) != 0) {
      if (access.kind != AccessKind::write) {
        uninitialised(worker, target_of(shared, *range), access);
      }
      shared.set_written(word, written | mask);
    }
    check_race(worker, lane, word, mask, access.kind, site_id, true,
               RaceTarget{range->name, begin, range->element_bytes, at});
  }
  return {nullptr, begin, range->bytes, shared.shadow_of(*range), range->packed, true, true};
}

const Region *find_region(const Access &access) {
  const Region *read_only = nullptr;
  for (const Region *region : regions().visible()) {
    if (region->contains(access.address, access.bytes)) {
      if (region->writable || !access.writes()) {
        return region;
      }
      read_only = region;  // memory that is an output too may follow
    }
  }
  return read_only;
}

[[noreturn]] void out_of_global_memory(Worker &worker, const Access &access) {
  const uintptr_t address = access.address;
  const Region *near = regions().nearest(address);
  const bool plausible =
      near != nullptr &&
      (address > near->begin ? address - near->begin : near->begin - address) < plausible_distance;
  if (!plausible) {
    out_of_bounds(worker, nullptr, access);
  }
  const Target target = target_of(*near, access.bytes);
  out_of_bounds(worker, &target, access);
}

[[noreturn]] void write_to_input(Worker &worker, const Access &access, const Region &region) {
  Fault fault = access_fault(worker, "input_write", "OOB", access);
  const std::string range = describe(fault, target_of(region, access.bytes), access);
  fault.message = "a thread " + std::string(verb_of(access.kind)) + ' ' + range + ", but " +
                  region.name + " is an input";
  fault.advice = "Inputs belong to the caller: write to the output or to shared memory.";
  refuse(worker, std::move(fault));
}

void shared_by_launches(const Worker &worker, const Access &access, const Region &variable) {
  if (fault_log().bump("device_variable", access.site, {})) {
    return;
  }
  Fault fault = access_fault(worker, "device_variable", "RACE", access);
  fault.severity = Severity::warning;
  const std::string range = describe(fault, target_of(variable, access.bytes), access);
  fault.message = "a thread " + std::string(verb_of(access.kind)) + ' ' + range +
                  ", a __device__ variable: every launch on every stream shares it";
  fault.advice =
      "Ask for workspace when the operator is created: a __device__ variable keeps what earlier "
      "launches left in it, and two launches at once overwrite each other's values.";
  fault_log().add(std::move(fault));
}

RecentTarget check_global(Worker &worker, Lane &lane, const Access &access, uint32_t site_id) {
  const Region *region = find_region(access);
  if (region == nullptr) {
    out_of_global_memory(worker, access);
  }
  if (access.writes() && !region->writable) {
    write_to_input(worker, access, *region);
  }
  if (region->shadow != nullptr) {
    for (uintptr_t at = access.first_word(); at < access.end(); at += 4) {
      const uint32_t mask = covered(access, at);
      Word &word = region->word(at);
      const auto written = static_cast<uint32_t>(word.state.load(std::memory_order_relaxed));
      if ((mask & ~written) != 0) {
        // Variables of the module begin as zeros, or as they were initialised.
        if (access.kind != AccessKind::write && region->kind != Region::Kind::module) {
          uninitialised(worker, target_of(*region, access.bytes), access);
        }
        word.state.fetch_or(mask, std::memory_order_relaxed);
      }
      check_race(worker, lane, word, mask, access.kind, site_id, false,
                 RaceTarget{region->name.c_str(), region->begin, region->element_bytes, at});
    }
  }
  const bool is_variable = region->kind == Region::Kind::module;
  if (is_variable && access.writes()) {
    shared_by_launches(worker, access, *region);
  }
  // Writes to variables come here each time, to be counted.
  const size_t size = is_variable && access.writes() ? 0 : region->end - region->begin;
  return {nullptr,       region->begin,    size, region->shadow.get(),
          region->begin, region->writable, false};
}

}  // namespace

void check_access(Worker &worker, const Access &access) {
  Lane &lane = *worker.current;
  worker.last_pc = access.site.pc;
  if (worker.launch->expired.load(std::memory_order_relaxed)) {
    stop_expired(worker, access.site);
  }
  if (access.address - lane.stack_low < StackPool::stack_bytes) {
    return;  // a local variable
  }
  if (access.address - worker.frame_begin < worker.frame_bytes) {
    return;  // a kernel parameter
  }
  const Inside inside(worker);
  settle(worker, lane);
  const uint32_t site = worker.counters.site_of(access.site.pc, access.site.line);
  const bool shared = worker.shared.contains(access.address);
  SiteCounters &counters = worker.counters;
  RecentTarget target =
      shared ? check_shared(worker, lane, access, site) : check_global(worker, lane, access, site);
  counters.count(
      lane.warp->counters, lane.lane, counters.slot_of(site, traffic_kind(access.kind, shared)),
      access.address - target.begin + target.counted_from, static_cast<uint32_t>(access.bytes));
  // Smaller than the widest access, or where nothing is remembered, the way here is always gone;
  // also from sites that are too many to tell apart.
  if (target.size >= widest_access && site != 0 &&
      (shared ? worker.tracks_shared : worker.tracks_global)) {
    target.pc = access.site.pc;
    target.site = site;
    target.loads = counters.slot_of(site, traffic_kind(AccessKind::read, shared));
    target.stores = counters.slot_of(site, traffic_kind(AccessKind::write, shared));
    worker.recent_at(target.pc) = target;
  }
}

}  // namespace camp_sim
