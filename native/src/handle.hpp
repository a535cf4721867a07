// handle.hpp: the object behind camp_handle_t.
#pragma once

#include "object_table.hpp"

#include "operator_runtime/device.h"

namespace camp {

struct Handle : objects::Object {
  static constexpr objects::Kind kind = objects::Kind::handle;
  Handle(int d, camp_stream_t s) : device(d), stream(s) {}
  const int device;
  const camp_stream_t stream;
};

// Throws INVALID_OBJECT for a stream that is one of the ABI's object pointers; any other may be
// the backend's, from whichever library.
void require_stream(camp_stream_t stream);

}  // namespace camp
