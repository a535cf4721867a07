// traffic.cc: the rules by which a GPU cuts a request into sectors and wavefronts. They are those
// of an H200, measured with Nsight Compute on the kernels of tests/simulator/counters/kernels, and
// held to its numbers by a test (docs/hardware-agreement.md).
#include "traffic.hpp"

#include <algorithm>

namespace camp_sim {
namespace {

constexpr unsigned sector_shift = 5;  // 32 bytes: the unit of the L2 cache and of DRAM traffic
constexpr uint64_t sector_bytes = uint64_t{1} << sector_shift;
constexpr unsigned banks = 32;
constexpr uint64_t wavefront_bytes = 4 * banks;

uint64_t ceil_divide(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

uint64_t popcount(uint32_t mask) {
  return static_cast<uint64_t>(__builtin_popcount(mask));
}

uint64_t sectors_between(uint64_t begin, uint64_t end) {
  return ((end - 1) >> sector_shift) - (begin >> sector_shift) + 1;
}

// The addresses of a request in order, and how many lanes have each of them.
struct Addresses {
  uint64_t at[32];
  uint32_t times[32];
  unsigned count = 0;

  explicit Addresses(const Request &request) {
    uint64_t sorted[32];
    unsigned lanes = 0;
    for (uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
      sorted[lanes++] = request.at[__builtin_ctz(rest)];
    }
    std::sort(sorted, sorted + lanes);
    for (unsigned i = 0; i < lanes; ++i) {
      if (count != 0 && at[count - 1] == sorted[i]) {
        ++times[count - 1];
      } else {
        at[count] = sorted[i];
        times[count++] = 1;
      }
    }
  }
  uint64_t most_times() const { return *std::max_element(times, times + count); }
};

uint64_t distinct_bytes(const Addresses &addresses, uint32_t bytes) {
  uint64_t sum = 0;
  uint64_t end = 0;
  for (unsigned i = 0; i < addresses.count; ++i) {
    const uint64_t begin = std::max(addresses.at[i], end);
    end = std::max(end, addresses.at[i] + bytes);
    sum += end - begin;
  }
  return sum;
}

// Loads and stores: the sectors touched, each once.
uint64_t sectors(const Addresses &addresses, uint32_t bytes) {
  uint64_t sum = 0;
  uint64_t next = 0;  // the first sector that is not counted yet
  for (unsigned i = 0; i < addresses.count; ++i) {
    const uint64_t first = std::max(addresses.at[i] >> sector_shift, next);
    const uint64_t past = ((addresses.at[i] + bytes - 1) >> sector_shift) + 1;
    sum += past > first ? past - first : 0;
    next = std::max(next, past);
  }
  return sum;
}

// Atomics: lanes with one address need a pass each, and a pass touches its sectors anew.
uint64_t atomic_sectors(const Addresses &addresses) {
  uint64_t sum = 0;
  uint64_t most = 0;
  for (unsigned i = 0; i < addresses.count; ++i) {
    most = std::max<uint64_t>(most, addresses.times[i]);
    const bool last = i + 1 == addresses.count ||
                      addresses.at[i + 1] >> sector_shift != addresses.at[i] >> sector_shift;
    if (last) {
      sum += most;
      most = 0;
    }
  }
  return sum;
}

// Passes over the banks for the lanes in `group`: in one, a bank gives one word of 4 bytes to any
// number of lanes.
uint64_t passes(const Request &request, uint32_t group) {
  const unsigned words = request.bytes <= 4 ? 1 : request.bytes / 4;
  uint64_t first[banks];  // the first word asked of each bank
  uint32_t used = 0;
  uint64_t further[32 * 4];  // other words, which conflict with a first one
  unsigned count = 0;
  unsigned per_bank[banks] = {};
  unsigned worst = 0;
  for (uint32_t rest = request.lanes & group; rest != 0; rest &= rest - 1) {
    for (unsigned w = 0; w < words; ++w) {
      const uint64_t word = request.at[__builtin_ctz(rest)] / 4 + w;
      const auto bank = static_cast<unsigned>(word % banks);
      if ((used >> bank & 1) == 0) {
        used |= 1u << bank;
        first[bank] = word;
        per_bank[bank] = 1;
      } else if (first[bank] != word &&
                 std::find(further, further + count, word) == further + count) {
        further[count++] = word;
        worst = std::max(worst, ++per_bank[bank]);
      }
    }
  }
  return std::max(worst, used != 0 ? 1u : 0u);
}

// Whether every lane has the address of the lane whose number differs in `bit`.
bool paired(const Request &request, uint32_t bit) {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const bool both = (request.lanes >> lane & 1) != 0 && (request.lanes >> (lane ^ bit) & 1) != 0;
    if (both && request.at[lane] != request.at[lane ^ bit]) {
      return false;
    }
  }
  return true;
}

// Adds the passes of a load or store, and how many there would be without bank conflicts. Lanes of
// 8 bytes are served by halves of the warp and lanes of 16 bytes by quarters. Where lanes 0 and 1,
// 2 and 3 and so on share an address, or lanes 0 and 2, 1 and 3 and so on, twice as many lanes are
// served at once.
void add_wavefronts(Traffic &sum, const Request &request) {
  unsigned group = request.bytes <= 4 ? 32 : request.bytes <= 8 ? 16 : 8;
  if (group < 32 && (paired(request, 1) || paired(request, 2))) {
    group *= 2;
  }
  for (unsigned first = 0; first < 32; first += group) {
    const uint32_t mask = group == 32 ? 0xffffffffu : ((1u << group) - 1) << first;
    if ((request.lanes & mask) != 0) {
      sum.wavefronts += passes(request, mask);
      ++sum.ideal_wavefronts;
    }
  }
}

// Atomics on shared memory: a bank serves one lane a pass, also where lanes share the word.
uint64_t atomic_wavefronts(const Request &request) {
  const unsigned words = request.bytes <= 4 ? 1 : request.bytes / 4;
  unsigned per_bank[banks] = {};
  for (uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
    for (unsigned w = 0; w < words; ++w) {
      ++per_bank[(request.at[__builtin_ctz(rest)] / 4 + w) % banks];
    }
  }
  return *std::max_element(per_bank, per_bank + banks);
}

void count_lanes(Traffic &sum, uint32_t lanes, uint32_t bytes, uint32_t whole) {
  ++sum.requests;
  sum.full_requests += lanes == whole ? 1 : 0;
  sum.lanes += popcount(lanes);
  sum.bytes += popcount(lanes) * bytes;
}

}  // namespace

const char *name_of(TrafficKind kind) {
  static const char *const names[traffic_kinds] = {"global_load",   "global_store",
                                                   "shared_load",   "shared_store",
                                                   "global_atomic", "shared_atomic"};
  return names[static_cast<size_t>(kind)];
}

void Traffic::add(const Traffic &other) {
  requests += other.requests;
  full_requests += other.full_requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  serialized += other.serialized;
}

void count_request(Traffic &sum, TrafficKind kind, const Request &request, uint32_t whole) {
  count_lanes(sum, request.lanes, request.bytes, whole);
  const bool atomic = is_atomic(kind);
  if (is_shared(kind) && !atomic) {
    add_wavefronts(sum, request);
    return;
  }
  const Addresses addresses(request);
  sum.serialized += atomic ? addresses.most_times() : 0;
  if (!is_shared(kind)) {
    sum.sectors += atomic ? atomic_sectors(addresses) : sectors(addresses, request.bytes);
    sum.ideal_sectors += ceil_divide(distinct_bytes(addresses, request.bytes), sector_bytes);
  } else {
    sum.wavefronts += atomic_wavefronts(request);
    sum.ideal_wavefronts += ceil_divide(popcount(request.lanes) * request.bytes, wavefront_bytes);
  }
}

void count_contiguous(Traffic &sum, TrafficKind kind, uint64_t origin, uint32_t lanes,
                      uint32_t bytes, uint32_t whole) {
  const auto first = static_cast<uint32_t>(__builtin_ctz(lanes));
  const uint32_t run = lanes >> first;
  const bool one_pass = !is_shared(kind) || bytes == 4 || (bytes < 4 && !is_atomic(kind));
  if ((run & (run + 1)) != 0 || !one_pass) {
    Request request;
    request.lanes = lanes;
    request.bytes = bytes;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      request.at[lane] = origin + uint64_t{lane} * bytes;
    }
    count_request(sum, kind, request, whole);
    return;
  }
  count_lanes(sum, lanes, bytes, whole);
  sum.serialized += is_atomic(kind) ? 1 : 0;
  const uint64_t size = popcount(lanes) * bytes;
  if (is_shared(kind)) {
    ++sum.wavefronts;
    ++sum.ideal_wavefronts;
  } else {
    const uint64_t begin = origin + uint64_t{first} * bytes;
    sum.sectors += sectors_between(begin, begin + size);
    sum.ideal_sectors += ceil_divide(size, sector_bytes);
  }
}

}  // namespace camp_sim
