// traffic.hpp: what one request of a warp costs the memory it goes to.
#pragma once

#include <cstddef>
#include <cstdint>

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
inline bool is_shared(TrafficKind kind) {
  return kind == TrafficKind::shared_load || kind == TrafficKind::shared_store ||
         kind == TrafficKind::shared_atomic;
}
inline bool is_atomic(TrafficKind kind) {
  return kind == TrafficKind::global_atomic || kind == TrafficKind::shared_atomic;
}

struct Traffic {
  uint64_t requests = 0;
  uint64_t full_requests = 0;  // by every lane that the warp was launched with
  uint64_t lanes = 0;
  uint64_t bytes = 0;
  uint64_t sectors = 0;           // global memory: of 32 bytes
  uint64_t ideal_sectors = 0;     // the fewest that hold the distinct bytes of each request
  uint64_t wavefronts = 0;        // shared memory: the passes over the banks
  uint64_t ideal_wavefronts = 0;  // the same without bank conflicts
  uint64_t serialized = 0;        // atomics: the most lanes on one address, of each request
  void add(const Traffic &other);
};

// One instruction of one warp: the active lanes, each with its address (global memory) or its
// offset in the GPU's shared memory, and the bytes that each of them moves.
struct Request {
  uint32_t lanes = 0;
  uint32_t bytes = 0;
  uint64_t at[32];
};

// Adds the request to the sums. `whole`: the lanes that the warp was launched with.
void count_request(Traffic &sum, TrafficKind kind, const Request &request, uint32_t whole);

// The same for lanes that lie one after the other in memory, lane l at `origin` + l * bytes.
void count_contiguous(Traffic &sum, TrafficKind kind, uint64_t origin, uint32_t lanes,
                      uint32_t bytes, uint32_t whole);

}  // namespace camp_sim
