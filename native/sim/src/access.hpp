// access.hpp: every load and store of kernel code passes here before it happens.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fault.hpp"

namespace camp_sim {

struct Worker;
struct Lane;

enum class AccessKind : uint8_t { read, write, atomic };

// Checks bounds, permission, initialisation and races, and counts the traffic. Does not return when
// the access must not happen: the lane ends there. `worker` is running a lane.
void check_access(Worker &worker, uintptr_t address, size_t bytes, AccessKind kind,
                  const CodeSite &site);

// Brings the lane's books up to date with what it did last: whether a write over foreign bytes
// changed them, and what an atomic made it know. To be called before its next access and before it
// gives way.
void settle(Worker &worker, Lane &lane);

}  // namespace camp_sim
