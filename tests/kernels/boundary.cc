// boundary.cc: a library whose C function ends exceptions thrown by the runtime and by itself.
#include <stdexcept>

#include "operator_runtime/extension.hpp"

extern "C" __attribute__((visibility("default"))) camp_status_t boundary(int which) {
  return camp::guarded([which]() -> camp_status_t {
    if (which == 0) camp::throw_error(CAMP_STATUS_SHAPE_MISMATCH, "thrown by the %s", "runtime");
    if (which == 1) throw camp::Error(CAMP_STATUS_OVERFLOW, "thrown by the library");
    throw std::runtime_error("of the standard library");
  });
}
