// assert.h: the C library's, except that a failed assertion ends the launch with a report.
#pragma GCC system_header
// No include guard: assert.h may be included again with another NDEBUG.
#include_next <assert.h>

#if defined(__cplusplus) && !defined(NDEBUG)
#include "camp_sim/engine.h"
#undef assert
#define assert(...)               \
  (static_cast<bool>(__VA_ARGS__) \
       ? static_cast<void>(0)     \
       : ::camp_sim::kernel_trap("assertion", #__VA_ARGS__, ::camp_sim::Site::here()))
#endif
