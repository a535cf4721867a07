// counters.cc: putting a warp's requests together again.
#include "counters.hpp"

#include <algorithm>
#include <cstring>

#include "cell.hpp"

namespace camp_sim {
namespace {

constexpr size_t keep_requests =
    64;  // buffers longer than this are given back at the end of a warp
// A lane that loops this long before its warp meets again is counted alone from there on: an
// endless loop must end at its time limit, not by running out of memory.
constexpr size_t most_open_requests = UINT16_MAX;

// The addresses so far, lane by lane.
Request addresses_of(const OpenRequest &open) {
  Request request;
  request.lanes = open.lanes;
  request.bytes = open.bytes;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    request.at[lane] = open.contiguous ? open.origin + uint64_t{lane} * open.bytes : open.first;
  }
  return request;
}

void add_lane(WarpSite &site, OpenRequest &request, uint32_t lane, uint64_t at, uint32_t bytes) {
  const uint64_t origin = at - uint64_t{lane} * bytes;
  if (request.lanes == 0) {
    request.origin = origin;
    request.first = at;
    request.bytes = bytes;
  } else if (request.scattered == 0) {
    const bool contiguous = request.contiguous && origin == request.origin;
    const bool uniform = request.uniform && at == request.first;
    if (!contiguous && !uniform) {
      site.scattered.push_back(addresses_of(request));
      request.scattered = static_cast<uint32_t>(site.scattered.size());
    } else {
      request.contiguous = contiguous;
      request.uniform = uniform;
    }
  }
  request.lanes |= 1u << lane;
  if (request.scattered != 0) {
    site.scattered[request.scattered - 1].at[lane] = at;
  }
}

void fold(WarpSite &site, const OpenRequest &open, Traffic &sum, TrafficKind kind, uint32_t whole) {
  if (open.scattered != 0) {
    Request &request = site.scattered[open.scattered - 1];
    request.lanes = open.lanes;
    count_request(sum, kind, request, whole);
  } else if (open.contiguous) {
    count_contiguous(sum, kind, open.origin, open.lanes, open.bytes, whole);
  } else {
    count_request(sum, kind, addresses_of(open), whole);
  }
}

}  // namespace

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

void SiteCounters::begin_launch() {
  slot_numbers_.clear();
  slots_.clear();
  blocks_.begin_launch();
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

uint32_t SiteCounters::slot_of(uint32_t site, TrafficKind kind) {
  const size_t index = site * traffic_kinds + static_cast<size_t>(kind);
  if (slot_numbers_.size() <= index) {
    slot_numbers_.resize(index + 1);
  }
  if (slot_numbers_[index] == 0) {
    slots_.push_back({site, kind, sites().place(site).pc, {}});
    slot_numbers_[index] = static_cast<uint32_t>(slots_.size());
  }
  return slot_numbers_[index] - 1;
}

void SiteCounters::count_anew(WarpCounters &warp, uint32_t lane, uint32_t slot, uint64_t at,
                              uint32_t bytes) {
  if (warp.trace.recording && record(warp, lane, {slots_[slot].pc, at, slot, bytes})) {
    return;
  }
  if (warp.sites.size() <= slot) {
    warp.sites.resize(slot + 1);
  }
  WarpSite &open = warp.sites[slot];
  if (open.epoch != warp.epoch) {
    close(open, slots_[slot], warp.whole);
    open.epoch = warp.epoch;
  }
  const size_t pass = open.passes[lane];
  if (pass >= most_open_requests) {
    count_contiguous(slots_[slot].total, slots_[slot].kind, at - uint64_t{lane} * bytes, 1u << lane,
                     bytes, warp.whole);
    return;
  }
  ++open.passes[lane];
  if (open.requests.size() <= pass) {
    open.requests.emplace_back();
  }
  add_lane(open, open.requests[pass], lane, at, bytes);
  if (open.requests[pass].lanes == warp.whole) {
    fold_complete(warp, slot);
  }
}

// Counts requests whose lanes have all come, in order, so that a long loop does not keep every pass
// until its end.
void SiteCounters::fold_complete(WarpCounters &warp, uint32_t slot) {
  WarpSite &open = warp.sites[slot];
  while (open.first_open < open.requests.size() &&
         open.requests[open.first_open].lanes == warp.whole) {
    fold(open, open.requests[open.first_open], slots_[slot].total, slots_[slot].kind, warp.whole);
    ++open.first_open;
  }
}

void SiteCounters::close(WarpSite &open, Slot &slot, uint32_t whole) {
  for (size_t i = open.first_open; i < open.requests.size(); ++i) {
    fold(open, open.requests[i], slot.total, slot.kind, whole);
  }
  open.requests.clear();
  open.scattered.clear();
  if (open.requests.capacity() > keep_requests) {
    open.requests.shrink_to_fit();
    open.scattered.shrink_to_fit();
  }
  open.first_open = 0;
  std::memset(open.passes, 0, sizeof(open.passes));
}

void SiteCounters::enter_block(WarpCounters &warp, uint32_t lane, const void *pc, uint32_t depth) {
  warp.trace.recording = true;
  record(warp, lane, {pc, depth, blocks_.slot_of(pc), 0});
}

// False when the lane's trace is full.
bool SiteCounters::record(WarpCounters &warp, uint32_t lane, const Step &step) {
  if (warp.trace.epoch != warp.epoch) {
    replay_trace(warp);
    warp.trace.epoch = warp.epoch;
  }
  return warp.trace.add(lane, step);
}

void SiteCounters::replay_trace(WarpCounters &warp) {
  struct Visitor final : StepVisitor {
    SiteCounters &counters;
    uint32_t whole;
    Visitor(SiteCounters &mine, uint32_t lanes) : counters(mine), whole(lanes) {}
    void enter_block(uint32_t slot, uint32_t lanes) override {
      counters.blocks_.enter(slot, lanes, whole);
    }
    void access(uint32_t slot, const Request &request) override {
      Slot &to = counters.slots_[slot];
      count_request(to.total, to.kind, request, whole);
    }
  };
  Visitor visitor(*this, warp.whole);
  replay(warp.trace, visitor);
}

void SiteCounters::finish(WarpCounters &warp) {
  for (size_t i = 0; i < warp.sites.size(); ++i) {
    if (!warp.sites[i].requests.empty()) {
      close(warp.sites[i], slots_[i], warp.whole);
    }
  }
  if (warp.trace.recording) {
    replay_trace(warp);
  }
}

std::vector<SiteTraffic> SiteCounters::totals() const {
  std::vector<SiteTraffic> result;
  for (const Slot &slot : slots_) {
    if (slot.total.requests != 0) {
      result.push_back({slot.site, slot.kind, slot.total});
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
