// casts.h: CUDA's reinterpretations and explicitly rounded conversions between scalars.
#pragma once

#include <math.h>

#include <cstdint>
#include <limits>

#include "camp_sim/qualifiers.h"

namespace camp_sim {

template <typename To, typename From>
CAMP_SIM_ALWAYS_INLINE To bit_cast(From value) {
  static_assert(sizeof(To) == sizeof(From), "both types have one size");
  To result;
  __builtin_memcpy(static_cast<void *>(&result), &value, sizeof result);
  return result;
}

// The GPU's float-to-integer conversion: `value` is integral already; out of range saturates; NaN
// gives 0 from float to 32 bits, else the sign bit alone.
template <typename To, typename From>
CAMP_SIM_ALWAYS_INLINE To saturating_cast(From value) {
  using Limits = std::numeric_limits<To>;
  // 2^digits is the first value above the range and exact in any floating-point type.
  const From above = From(2) * static_cast<From>(To(1) << (Limits::digits - 1));
  if (value != value) {
    if (sizeof(To) <= 4 && sizeof(From) <= 4) return To(0);
    return static_cast<To>(uint64_t(1) << (8 * sizeof(To) - 1));
  }
  if (value >= above) return Limits::max();
  if (Limits::is_signed ? value < -above : value <= From(-1)) return Limits::min();
  return static_cast<To>(value);
}

}  // namespace camp_sim

CAMP_SIM_ALWAYS_INLINE float __int_as_float(int x) {
  return camp_sim::bit_cast<float>(x);
}
CAMP_SIM_ALWAYS_INLINE int __float_as_int(float x) {
  return camp_sim::bit_cast<int>(x);
}
CAMP_SIM_ALWAYS_INLINE float __uint_as_float(unsigned x) {
  return camp_sim::bit_cast<float>(x);
}
CAMP_SIM_ALWAYS_INLINE unsigned __float_as_uint(float x) {
  return camp_sim::bit_cast<unsigned>(x);
}
CAMP_SIM_ALWAYS_INLINE double __longlong_as_double(long long x) {
  return camp_sim::bit_cast<double>(x);
}
CAMP_SIM_ALWAYS_INLINE long long __double_as_longlong(double x) {
  return camp_sim::bit_cast<long long>(x);
}
CAMP_SIM_ALWAYS_INLINE int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
CAMP_SIM_ALWAYS_INLINE int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
CAMP_SIM_ALWAYS_INLINE double __hiloint2double(int high, int low) {
  const uint64_t bits = uint64_t(static_cast<uint32_t>(high)) << 32 | static_cast<uint32_t>(low);
  return camp_sim::bit_cast<double>(bits);
}

// __float2int_rn and the like: to nearest even, toward zero, up, down.
#define CAMP_SIM_TO_INTEGER(from, from_name, to, to_name)            \
  CAMP_SIM_ALWAYS_INLINE to __##from_name##2##to_name##_rn(from x) { \
    return camp_sim::saturating_cast<to>(std::nearbyint(x));         \
  }                                                                  \
  CAMP_SIM_ALWAYS_INLINE to __##from_name##2##to_name##_rz(from x) { \
    return camp_sim::saturating_cast<to>(std::trunc(x));             \
  }                                                                  \
  CAMP_SIM_ALWAYS_INLINE to __##from_name##2##to_name##_ru(from x) { \
    return camp_sim::saturating_cast<to>(std::ceil(x));              \
  }                                                                  \
  CAMP_SIM_ALWAYS_INLINE to __##from_name##2##to_name##_rd(from x) { \
    return camp_sim::saturating_cast<to>(std::floor(x));             \
  }

CAMP_SIM_TO_INTEGER(float, float, int, int)
CAMP_SIM_TO_INTEGER(float, float, unsigned, uint)
CAMP_SIM_TO_INTEGER(float, float, long long, ll)
CAMP_SIM_TO_INTEGER(float, float, unsigned long long, ull)
CAMP_SIM_TO_INTEGER(double, double, int, int)
CAMP_SIM_TO_INTEGER(double, double, unsigned, uint)
CAMP_SIM_TO_INTEGER(double, double, long long, ll)
CAMP_SIM_TO_INTEGER(double, double, unsigned long long, ull)
#undef CAMP_SIM_TO_INTEGER

#define CAMP_SIM_FROM_INTEGER(from, from_name)                      \
  CAMP_SIM_ALWAYS_INLINE float __##from_name##2float_rn(from x) {   \
    return static_cast<float>(x);                                   \
  }                                                                 \
  CAMP_SIM_ALWAYS_INLINE double __##from_name##2double_rn(from x) { \
    return static_cast<double>(x);                                  \
  }

CAMP_SIM_FROM_INTEGER(int, int)
CAMP_SIM_FROM_INTEGER(unsigned, uint)
CAMP_SIM_FROM_INTEGER(long long, ll)
CAMP_SIM_FROM_INTEGER(unsigned long long, ull)
#undef CAMP_SIM_FROM_INTEGER

CAMP_SIM_ALWAYS_INLINE float __double2float_rn(double x) {
  return static_cast<float>(x);
}
