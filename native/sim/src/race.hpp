// race.hpp: two accesses to the same bytes, one of them a write, with no order between them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cell.hpp"

namespace camp_sim {

struct Worker;
struct Lane;

// What the word belongs to, for the message.
struct RaceTarget {
  const char *name;
  uintptr_t begin;
  size_t element_bytes;
  uintptr_t word;  // the word's address
};

// Compares the access (`mask`: bytes of the word) with those remembered, reports races and
// remembers it.
void check_race(Worker &worker, Lane &lane, Word &word, uint32_t mask, AccessKind kind,
                uint32_t site_id, bool shared, RaceTarget target);

}  // namespace camp_sim
