// memory.h: loads and stores with cache hints. The hint changes nothing here; the access is the
// learner's own, of the full width.
#pragma once

#include <type_traits>

#include "camp_sim/qualifiers.h"
#include "vector_types.h"

namespace camp_sim {

// The types that CUDA's hinted loads and stores take: scalars, and vectors of 2 or 4 that fill at
// most 16 bytes.
template <typename T>
inline constexpr bool has_hinted_access = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
#define CAMP_SIM_HINTED(name)                              \
  template <>                                              \
  inline constexpr bool has_hinted_access<name##2> = true; \
  template <>                                              \
  inline constexpr bool has_hinted_access<name##4> = sizeof(name##4) <= 16
CAMP_SIM_HINTED(char);
CAMP_SIM_HINTED(uchar);
CAMP_SIM_HINTED(short);
CAMP_SIM_HINTED(ushort);
CAMP_SIM_HINTED(int);
CAMP_SIM_HINTED(uint);
CAMP_SIM_HINTED(long);
CAMP_SIM_HINTED(ulong);
CAMP_SIM_HINTED(longlong);
CAMP_SIM_HINTED(ulonglong);
CAMP_SIM_HINTED(float);
CAMP_SIM_HINTED(double);
#undef CAMP_SIM_HINTED

}  // namespace camp_sim

#define CAMP_SIM_LOAD(name)                                                      \
  template <typename T>                                                          \
  CAMP_SIM_ALWAYS_INLINE T name(const T *address) {                              \
    static_assert(camp_sim::has_hinted_access<T>,                                \
                  #name " loads scalars and vectors of 2 or 4, up to 16 bytes"); \
    return *address;                                                             \
  }
CAMP_SIM_LOAD(__ldg)
CAMP_SIM_LOAD(__ldca)
CAMP_SIM_LOAD(__ldcg)
CAMP_SIM_LOAD(__ldcs)
CAMP_SIM_LOAD(__ldcv)
CAMP_SIM_LOAD(__ldlu)
#undef CAMP_SIM_LOAD

// The value converts to what the pointer points to, as in CUDA.
#define CAMP_SIM_STORE(name)                                                      \
  template <typename T>                                                           \
  CAMP_SIM_ALWAYS_INLINE void name(T *address, std::common_type_t<T> value) {     \
    static_assert(camp_sim::has_hinted_access<T>,                                 \
                  #name " stores scalars and vectors of 2 or 4, up to 16 bytes"); \
    *address = value;                                                             \
  }
CAMP_SIM_STORE(__stcg)
CAMP_SIM_STORE(__stcs)
CAMP_SIM_STORE(__stwb)
CAMP_SIM_STORE(__stwt)
#undef CAMP_SIM_STORE
