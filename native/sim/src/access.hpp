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

// Settles whether the lane's last write over foreign bytes changed them. To be called before the
// lane gives way and before its next access.
void settle_overwrite(Worker &worker, Lane &lane);

}  // namespace camp_sim
