// warp.hpp: what the scheduler needs of warp collectives.
#pragma once

#include "state.hpp"

namespace camp_sim {

inline bool in(uint32_t mask, uint32_t lane) {
  return (mask >> lane & 1) != 0;
}

const char *name_of(WarpOp op);
bool is_shuffle(WarpOp op);

// Results of the lanes in `present`, which all wait with one operation.
void resolve_shuffle(Worker &worker, Warp &warp, uint32_t present);
void resolve_combination(Warp &warp, uint32_t present);

// The lanes that wait with the same operation and mask as `lane`.
uint32_t waiting_with(const Warp &warp, const Lane &lane);

// Computes the results of the lanes in `present` and makes them ready.
void resolve_collective(Worker &worker, Warp &warp, uint32_t present);

// Lanes that a mask names but that cannot come; `why` ends the sentence.
void report_absent_lanes(Worker &worker, const Lane &lane, uint32_t absent, const char *why);

}  // namespace camp_sim
