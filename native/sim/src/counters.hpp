// counters.hpp: memory traffic as the hardware would see it, per line of source.
//
// A GPU serves a warp's access as one request, cut into 32-byte sectors (global memory) or into
// wavefronts over 32 banks of 4 bytes (shared memory). Lanes run one after the other here, so a
// request is put together again: the k-th time each lane passes an instruction since the warp last
// met. That is exact where lanes go through their loops alike; code compiled for counting is traced
// instead (trace.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "blocks.hpp"
#include "camp_sim/engine.h"
#include "trace.hpp"
#include "traffic.hpp"

namespace camp_sim {

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

// A request while its lanes come one by one. Nearly all are contiguous (lane l lies l * bytes past
// an origin) or uniform (all lanes at one address); only others keep every address.
struct OpenRequest {
  uint64_t origin = 0;  // of the first lane to come: its address less lane * bytes
  uint64_t first = 0;   // its address
  uint32_t lanes = 0;
  uint32_t bytes = 0;  // of one lane
  bool contiguous = true;
  bool uniform = true;
  uint32_t scattered = 0;  // 1 + index of the addresses, once it is neither
};

// What one warp has under way at one site.
struct WarpSite {
  uint32_t epoch = 0;
  uint16_t passes[32] = {};
  size_t first_open = 0;              // passes before it are counted
  std::vector<OpenRequest> requests;  // by pass
  std::vector<Request> scattered;

  // A further lane of a request that stays what it is; false: not added.
  bool add(OpenRequest &request, uint32_t lane, uint64_t at, uint32_t bytes) {
    if (request.scattered != 0) {
      scattered[request.scattered - 1].at[lane] = at;
    } else if (request.contiguous && request.lanes != 0 &&
               at - uint64_t{lane} * bytes == request.origin) {
      request.uniform = request.uniform && at == request.first;
    } else {
      return false;
    }
    request.lanes |= 1u << lane;
    return true;
  }
};

struct WarpCounters {
  uint32_t epoch = 1;           // advances when the lanes meet
  uint32_t whole = 0;           // the lanes that the warp was launched with
  std::vector<WarpSite> sites;  // by the worker's slot of the site and kind
  WarpTrace trace;              // of code compiled for counting

  // All lanes that are left are at one place: passes through a line count anew.
  void meet() { ++epoch; }
  // The lanes in `present` have joined in an operation of the warp. Lanes that are not there may
  // have left before, or have run ahead here where a GPU would have kept them together: then the
  // warp has not met.
  void join(uint32_t present) {
    if (present == whole) {
      meet();
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
  // The number under which a site's accesses of one kind are counted.
  uint32_t slot_of(uint32_t site, TrafficKind kind);
  // `at`: the address (global), or the offset in the GPU's shared memory.
  void count(WarpCounters &warp, uint32_t lane, uint32_t slot, uint64_t at, uint32_t bytes) {
    if (!warp.trace.recording && slot < warp.sites.size()) {
      WarpSite &open = warp.sites[slot];
      const size_t pass = open.passes[lane];
      if (open.epoch == warp.epoch && pass < open.requests.size() &&
          open.add(open.requests[pass], lane, at, bytes)) {
        ++open.passes[lane];
        if (open.requests[pass].lanes == warp.whole) {
          fold_complete(warp, slot);
        }
        return;
      }
    }
    count_anew(warp, lane, slot, at, bytes);
  }
  // The lane enters a basic block, with `depth` bytes of its stack in use.
  void enter_block(WarpCounters &warp, uint32_t lane, const void *pc, uint32_t depth);
  // Counts what is traced of the warp, whose lanes all stand at a barrier or have left.
  void replay_trace(WarpCounters &warp);
  // Closes what the warp has open; its lanes have met, or left.
  void finish(WarpCounters &warp);
  std::vector<SiteTraffic> totals() const;
  const std::vector<BlockTotals> &blocks() const { return blocks_.totals(); }

 private:
  struct Slot {
    uint32_t site = 0;
    TrafficKind kind = TrafficKind::global_load;
    const void *pc = nullptr;
    Traffic total;
  };
  void count_anew(WarpCounters &warp, uint32_t lane, uint32_t slot, uint64_t at, uint32_t bytes);
  void fold_complete(WarpCounters &warp, uint32_t slot);
  bool record(WarpCounters &warp, uint32_t lane, const Step &step);
  void close(WarpSite &open, Slot &slot, uint32_t whole);

  struct CacheEntry {
    const void *pc = nullptr;
    Site line{nullptr, 0};
    uint32_t site = 0;
  };
  CacheEntry cache_[256];
  std::vector<uint32_t> slot_numbers_;  // 1 + slot, by site and kind; 0: none yet
  std::vector<Slot> slots_;
  BlockCounters blocks_;
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
