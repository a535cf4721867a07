// backend.hpp: what the runtime asks of a backend around every execute. `nvidia` implements it in
// native/src/backend_nvidia.cc, `sim` in native/sim/src/backend_sim.cc; nothing else differs.
#pragma once

#include <cstddef>

#include "operator_runtime/handle.h"
#include "operator_runtime/status.h"

namespace camp::backend {

// Memory that the kernels of one execute may touch, with its exact bounds.
struct Binding {
  const char *name;      // tensor name of op.toml, or "workspace"; outlives the call
  const void *pointer;   // may be null when bytes is 0
  size_t bytes;          // from the first to past the last element
  size_t element_bytes;  // for messages such as "x[5] of 5 elements"
  bool writable;         // outputs and the workspace
  bool kept;             // the workspace: it still holds what the last execute left there
};

// Called before the launches of one execute, on the launching thread. Never fails, never throws.
void begin(const char *operator_name, const Binding *bindings, size_t count);

// Called after them: the status of the launches, with the message set (camp::fail) when not
// SUCCESS.
camp_status_t finish();

// Zeroes a workspace on `stream`, without touching the last error. Never throws.
void clear(void *workspace, size_t bytes, camp_stream_t stream);

}  // namespace camp::backend
