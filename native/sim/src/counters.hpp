// counters.hpp: memory traffic as the hardware would see it, per line of source.
//
// A GPU serves a warp's access as one request, cut into 32-byte sectors (global memory) or into
// wavefronts over 32 banks of 4 bytes (shared memory). Lanes run one after the other here, so a
// request is put together again: the k-th time each lane passes an instruction since the warp last
// met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "branches.hpp"
#include "camp_sim/engine.h"

namespace camp_sim {

enum class TrafficKind : uint8_t {
  global_load,
  global_store,
  shared_load,
  shared_store,
  global_atomic,
  shared_atomic,
};
constexpr size_t traffic_kinds = 6;
const char *name_of(TrafficKind kind);

struct Traffic {
  uint64_t requests = 0;
  uint64_t lanes = 0;
  uint64_t bytes = 0;
  uint64_t sectors = 0;     // global memory
  uint64_t wavefronts = 0;  // shared memory: the passes over the banks
  void add(const Traffic &other);
};

// Numbers for the places in the code that touch memory, the same for all workers of a launch. Zero
// stands for "too many to tell apart".
class SiteRegistry {
 public:
  struct Place {
    const void *pc;
    Site line;
  };
  uint32_t id_of(const void *pc, Site line);
  Place place(uint32_t id) const;
  void clear();

 private:
  mutable std::mutex mutex_;
  std::vector<Place> places_{{nullptr, {nullptr, 0}}};
  // A function that the compiler did not inline has one counter for the calls of many lines.
  std::map<std::tuple<const void *, const char *, int>, uint32_t> ids_;
};
SiteRegistry &sites();

// The sectors of one request: two windows of 2 KB cover any coalesced access, the rest is listed.
struct GlobalRequest {
  uint64_t window[2] = {~uint64_t{0}, ~uint64_t{0}};
  uint64_t bits[2] = {0, 0};
  uint32_t lanes = 0;
  uint32_t bytes = 0;
  std::vector<uint64_t> others;
  void add(uintptr_t address, size_t bytes);
  uint64_t sectors() const;
};

struct SharedRequest {
  uint32_t word[32];
  uint32_t lanes = 0;
  uint32_t bytes = 0;  // of one lane
  uint64_t wavefronts() const;
};

// What one warp has under way at one site.
struct WarpSite {
  uint32_t epoch = 0;
  uint32_t passes[32] = {};
  size_t first_open = 0;
  std::vector<GlobalRequest> global;
  std::vector<SharedRequest> shared;
};

struct WarpCounters {
  uint32_t epoch = 1;           // advances when the lanes meet
  uint32_t whole = 0;           // the lanes that the warp was launched with
  uint32_t parted = 0;          // lanes that have since met some of the others
  std::vector<WarpSite> sites;  // by site number and kind
  WarpBranches branches;

  // All lanes that are left are at one place: passes through a line count anew.
  void meet() {
    ++epoch;
    parted = 0;
  }
  // The lanes in `present`, of those alive, have joined in an operation of the warp. They are all
  // only if no other lane has joined in one of its own before it left: such a lane ran ahead here,
  // and would have been there on a GPU.
  void join(uint32_t present, uint32_t alive) {
    if (present == alive && (parted & ~alive) == 0) {
      meet();
    } else {
      parted |= present;
    }
  }
};

struct SiteTraffic {
  uint32_t site = 0;
  TrafficKind kind = TrafficKind::global_load;
  Traffic traffic;
};

// One worker's totals of one launch.
class SiteCounters {
 public:
  void begin_launch();
  uint32_t site_of(const void *pc, Site line);
  // The same, or 0 when it is not at hand.
  uint32_t known_site(const void *pc) const {
    const auto hash = reinterpret_cast<uintptr_t>(pc);
    const CacheEntry &entry = cache_[(hash ^ hash >> 8) & 255];
    return entry.pc == pc ? entry.site : 0;
  }
  // `at`: the address (global), or the offset in the GPU's shared memory. `all_lanes`: lanes that a
  // full request of this warp has.
  void count(WarpCounters &warp, uint32_t lane, uint32_t all_lanes, uint32_t site, TrafficKind kind,
             uintptr_t at, size_t bytes);
  // Closes what the warp has open.
  void finish(WarpCounters &warp);
  std::vector<SiteTraffic> totals() const;

 private:
  void close(WarpSite &open, uint32_t index);
  Traffic &total(uint32_t index);

  struct CacheEntry {
    const void *pc = nullptr;
    Site line{nullptr, 0};
    uint32_t site = 0;
  };
  CacheEntry cache_[256];
  std::vector<Traffic> totals_;  // by site number and kind
};

// A launch's totals over its workers.
class LaunchCounters {
 public:
  void add(const std::vector<SiteTraffic> &more);
  const std::vector<SiteTraffic> &sites() const { return sites_; }

 private:
  std::vector<SiteTraffic> sites_;
};

}  // namespace camp_sim
