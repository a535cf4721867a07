// fused_minmax.h: minima and maxima of three, of a sum and a value, clamped at zero (_relu), or
// that tell which operand won (__vib...), of 32-bit integers and of pairs of 16-bit ones.
#pragma once

#include <cstdint>
#include <type_traits>

#include "camp_sim/qualifiers.h"
#include "camp_sim/simd_words.h"

namespace camp_sim {

// Sums wrap to T.
template <typename T>
CAMP_SIM_ALWAYS_INLINE T wrapped_sum(T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
}
template <typename T>
CAMP_SIM_ALWAYS_INLINE T chosen(bool larger, T a, T b) {
  return (a > b) == larger ? a : b;
}
template <typename T>
CAMP_SIM_ALWAYS_INLINE T at_least_zero(T a) {
  return a > T(0) ? a : T(0);
}
// operation(a, b, c) of each pair of 16-bit elements.
template <typename T, typename Operation>
CAMP_SIM_ALWAYS_INLINE unsigned by_half(unsigned a, unsigned b, unsigned c, Operation operation) {
  unsigned result = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const auto x = static_cast<T>(a >> (16 * i)), y = static_cast<T>(b >> (16 * i));
    result |= placed<T>(operation(x, y, static_cast<T>(c >> (16 * i))), i);
  }
  return result;
}

}  // namespace camp_sim

// Each name for int, unsigned, and pairs of either; `expression` of x, y, z of type T.
#define CAMP_SIM_FUSED_WIDE(name, type, expression)          \
  CAMP_SIM_ALWAYS_INLINE type name(type x, type y, type z) { \
    using T = type;                                          \
    return expression;                                       \
  }
#define CAMP_SIM_FUSED_PAIR(name, element, expression)                              \
  CAMP_SIM_ALWAYS_INLINE unsigned name(unsigned a, unsigned b, unsigned c) {        \
    using T = element;                                                              \
    return camp_sim::by_half<T>(a, b, c, [](T x, T y, T z) { return expression; }); \
  }
#define CAMP_SIM_FUSED(name, expression)                                            \
  CAMP_SIM_FUSED_WIDE(name##_s32, int, expression)                                  \
  CAMP_SIM_FUSED_WIDE(name##_u32, unsigned, expression)                             \
  CAMP_SIM_FUSED_WIDE(name##_s32_relu, int, camp_sim::at_least_zero<T>(expression)) \
  CAMP_SIM_FUSED_PAIR(name##_s16x2, int16_t, expression)                            \
  CAMP_SIM_FUSED_PAIR(name##_u16x2, uint16_t, expression)                           \
  CAMP_SIM_FUSED_PAIR(name##_s16x2_relu, int16_t, camp_sim::at_least_zero<T>(expression))

CAMP_SIM_FUSED(__viaddmax, camp_sim::chosen<T>(true, camp_sim::wrapped_sum<T>(x, y), z))
CAMP_SIM_FUSED(__viaddmin, camp_sim::chosen<T>(false, camp_sim::wrapped_sum<T>(x, y), z))
CAMP_SIM_FUSED(__vimax3, camp_sim::chosen<T>(true, camp_sim::chosen<T>(true, x, y), z))
CAMP_SIM_FUSED(__vimin3, camp_sim::chosen<T>(false, camp_sim::chosen<T>(false, x, y), z))
#undef CAMP_SIM_FUSED
#undef CAMP_SIM_FUSED_PAIR
#undef CAMP_SIM_FUSED_WIDE

// Of two, clamped at zero; and with a flag that says whether the first was taken, also when equal.
#define CAMP_SIM_CHOICE(name, larger, op)                                                  \
  CAMP_SIM_ALWAYS_INLINE int __vi##name##_s32_relu(int x, int y) {                         \
    return camp_sim::at_least_zero(camp_sim::chosen(larger, x, y));                        \
  }                                                                                        \
  CAMP_SIM_ALWAYS_INLINE unsigned __vi##name##_s16x2_relu(unsigned x, unsigned y) {        \
    return camp_sim::by_half<int16_t>(x, y, 0u, [](int16_t a, int16_t b, int16_t) {        \
      return camp_sim::at_least_zero(camp_sim::chosen(larger, a, b));                      \
    });                                                                                    \
  }                                                                                        \
  CAMP_SIM_ALWAYS_INLINE int __vib##name##_s32(int x, int y, bool *first) {                \
    *first = x op y;                                                                       \
    return *first ? x : y;                                                                 \
  }                                                                                        \
  CAMP_SIM_ALWAYS_INLINE unsigned __vib##name##_u32(unsigned x, unsigned y, bool *first) { \
    *first = x op y;                                                                       \
    return *first ? x : y;                                                                 \
  }                                                                                        \
  CAMP_SIM_CHOICE_PAIR(__vib##name##_s16x2, int16_t, op)                                   \
  CAMP_SIM_CHOICE_PAIR(__vib##name##_u16x2, uint16_t, op)
#define CAMP_SIM_CHOICE_PAIR(name, element, op)                                         \
  CAMP_SIM_ALWAYS_INLINE unsigned name(unsigned x, unsigned y, bool *high, bool *low) { \
    *low = static_cast<element>(x) op static_cast<element>(y);                          \
    *high = static_cast<element>(x >> 16) op static_cast<element>(y >> 16);             \
    return ((*high ? x : y) & 0xffff0000u) | ((*low ? x : y) & 0xffffu);                \
  }
CAMP_SIM_CHOICE(max, true, >=)
CAMP_SIM_CHOICE(min, false, <=)
#undef CAMP_SIM_CHOICE
#undef CAMP_SIM_CHOICE_PAIR
