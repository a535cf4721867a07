// counters.cc: putting a warp's requests together again.
#include "counters.hpp"

#include <algorithm>
#include <cstring>

#include "cell.hpp"

namespace camp_sim {
namespace {

constexpr unsigned sector_shift = 5;  // 32 bytes: the unit of the L2 cache and of DRAM traffic
constexpr unsigned banks = 32;
constexpr size_t keep_requests =
    64;  // buffers longer than this are given back at the end of a warp
// A lane that loops this long before its warp meets again is counted alone from there on: an
// endless loop must end at its time limit, not by running out of memory.
constexpr size_t most_open_requests = size_t{1} << 16;

}  // namespace

const char *name_of(TrafficKind kind) {
  static const char *const names[traffic_kinds] = {"global_load",   "global_store",
                                                   "shared_load",   "shared_store",
                                                   "global_atomic", "shared_atomic"};
  return names[static_cast<size_t>(kind)];
}

void Traffic::add(const Traffic &other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
  wavefronts += other.wavefronts;
}

SiteRegistry &sites() {
  static SiteRegistry registry;
  return registry;
}

uint32_t SiteRegistry::id_of(const void *pc, Site line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto key = std::make_tuple(pc, line.file, line.line);
  const auto found = ids_.find(key);
  if (found != ids_.end()) {
    return found->second;
  }
  if (places_.size() >= Cell::max_sites) {
    return 0;
  }
  const auto id = static_cast<uint32_t>(places_.size());
  places_.push_back({pc, line});
  ids_.emplace(key, id);
  return id;
}

SiteRegistry::Place SiteRegistry::place(uint32_t id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return places_[id < places_.size() ? id : 0];
}

void SiteRegistry::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  places_.resize(1);
  ids_.clear();
}

void GlobalRequest::add(uintptr_t address, size_t size) {
  for (uint64_t sector = address >> sector_shift; sector <= (address + size - 1) >> sector_shift;
       ++sector) {
    const uint64_t wanted = sector >> 6;
    bool placed = false;
    for (int i = 0; i < 2 && !placed; ++i) {
      if (bits[i] == 0) {
        window[i] = wanted;
      }
      if (window[i] == wanted) {
        bits[i] |= uint64_t{1} << (sector & 63);
        placed = true;
      }
    }
    if (!placed && std::find(others.rbegin(), others.rend(), sector) == others.rend()) {
      others.push_back(sector);
    }
  }
}

uint64_t GlobalRequest::sectors() const {
  return static_cast<uint64_t>(__builtin_popcountll(bits[0]) + __builtin_popcountll(bits[1])) +
         others.size();
}

uint64_t SharedRequest::wavefronts() const {
  // Lanes of 8 bytes are served by halves of the warp and lanes of 16 bytes by quarters; within one
  // pass a bank gives one word, to any number of lanes.
  const unsigned group = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  const unsigned words = bytes <= 4 ? 1 : bytes / 4;
  uint64_t passes = 0;
  for (unsigned first = 0; first < 32; first += group) {
    uint32_t seen[32 * 4];
    unsigned count = 0;
    unsigned per_bank[banks] = {};
    unsigned worst = 0;
    for (unsigned lane = first; lane < first + group; ++lane) {
      if ((lanes >> lane & 1) == 0) {
        continue;
      }
      for (unsigned w = 0; w < words; ++w) {
        const uint32_t at = word[lane] + w;
        if (std::find(seen, seen + count, at) == seen + count) {
          seen[count++] = at;
          worst = std::max(worst, ++per_bank[at % banks]);
        }
      }
    }
    passes += worst;
  }
  return passes;
}

void SiteCounters::begin_launch() {
  totals_.clear();
  std::fill(std::begin(cache_), std::end(cache_), CacheEntry{});
}

uint32_t SiteCounters::site_of(const void *pc, Site line) {
  const auto hash = reinterpret_cast<uintptr_t>(pc);
  CacheEntry &entry = cache_[(hash ^ hash >> 8) & 255];
  if (entry.pc != pc || entry.line.line != line.line || entry.line.file != line.file) {
    entry.pc = pc;
    entry.line = line;
    entry.site = sites().id_of(pc, line);
  }
  return entry.site;
}

Traffic &SiteCounters::total(uint32_t index) {
  if (totals_.size() <= index) {
    totals_.resize(index + 1);
  }
  return totals_[index];
}

void SiteCounters::count(WarpCounters &warp, uint32_t lane, uint32_t all_lanes, uint32_t site,
                         TrafficKind kind, uintptr_t at, size_t bytes) {
  const auto index = static_cast<uint32_t>(site * traffic_kinds + static_cast<uint32_t>(kind));
  if (warp.sites.size() <= index) {
    warp.sites.resize(index + 1);
  }
  WarpSite &open = warp.sites[index];
  if (open.epoch != warp.epoch) {
    close(open, index);
    open.epoch = warp.epoch;
  }
  const size_t pass = open.passes[lane]++;
  const bool shared = kind == TrafficKind::shared_load || kind == TrafficKind::shared_store ||
                      kind == TrafficKind::shared_atomic;
  if (pass >= most_open_requests) {
    Traffic &sum = total(index);
    ++sum.requests;
    ++sum.lanes;
    sum.bytes += bytes;
    if (shared) {
      ++sum.wavefronts;
    } else {
      sum.sectors += ((at + bytes - 1) >> sector_shift) - (at >> sector_shift) + 1;
    }
  } else if (shared) {
    if (open.shared.size() <= pass) {
      open.shared.emplace_back();
    }
    SharedRequest &request = open.shared[pass];
    request.word[lane] = static_cast<uint32_t>(at / 4);
    request.lanes |= 1u << lane;
    request.bytes = static_cast<uint32_t>(bytes);
  } else {
    if (open.global.size() <= pass) {
      open.global.emplace_back();
    }
    GlobalRequest &request = open.global[pass];
    request.add(at, bytes);
    request.lanes |= 1u << lane;
    request.bytes += static_cast<uint32_t>(bytes);
    if (request.lanes == all_lanes && pass == open.first_open) {
      // Complete: fold it now, so that a long loop does not keep every pass until its end.
      Traffic &sum = total(index);
      ++sum.requests;
      sum.lanes += static_cast<uint64_t>(__builtin_popcount(request.lanes));
      sum.bytes += request.bytes;
      sum.sectors += request.sectors();
      ++open.first_open;
    }
  }
}

void SiteCounters::close(WarpSite &open, uint32_t index) {
  if (open.global.size() > open.first_open || !open.shared.empty()) {
    Traffic &sum = total(index);
    for (size_t i = open.first_open; i < open.global.size(); ++i) {
      const GlobalRequest &request = open.global[i];
      ++sum.requests;
      sum.lanes += static_cast<uint64_t>(__builtin_popcount(request.lanes));
      sum.bytes += request.bytes;
      sum.sectors += request.sectors();
    }
    for (const SharedRequest &request : open.shared) {
      ++sum.requests;
      const auto lanes = static_cast<uint64_t>(__builtin_popcount(request.lanes));
      sum.lanes += lanes;
      sum.bytes += lanes * request.bytes;
      sum.wavefronts += request.wavefronts();
    }
  }
  open.global.clear();
  open.shared.clear();
  if (open.global.capacity() > keep_requests) {
    open.global.shrink_to_fit();
  }
  if (open.shared.capacity() > keep_requests) {
    open.shared.shrink_to_fit();
  }
  open.first_open = 0;
  std::memset(open.passes, 0, sizeof(open.passes));
}

void SiteCounters::finish(WarpCounters &warp) {
  for (size_t i = 0; i < warp.sites.size(); ++i) {
    if (!warp.sites[i].global.empty() || !warp.sites[i].shared.empty()) {
      close(warp.sites[i], static_cast<uint32_t>(i));
    }
  }
}

std::vector<SiteTraffic> SiteCounters::totals() const {
  std::vector<SiteTraffic> result;
  for (size_t i = 0; i < totals_.size(); ++i) {
    if (totals_[i].requests != 0) {
      result.push_back({static_cast<uint32_t>(i / traffic_kinds),
                        static_cast<TrafficKind>(i % traffic_kinds), totals_[i]});
    }
  }
  return result;
}

void LaunchCounters::add(const std::vector<SiteTraffic> &more) {
  for (const SiteTraffic &item : more) {
    const auto same = [&item](const SiteTraffic &mine) {
      return mine.site == item.site && mine.kind == item.kind;
    };
    const auto found = std::find_if(sites_.begin(), sites_.end(), same);
    if (found == sites_.end()) {
      sites_.push_back(item);
    } else {
      found->traffic.add(item.traffic);
    }
  }
}

}  // namespace camp_sim
