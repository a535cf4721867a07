// simd_words.h: CUDA's functions on two 16-bit or four 8-bit integers in one 32-bit word (__vadd2,
// __vcmpeq4, ...), and the fused minima and maxima (__viaddmax_s32, ...).
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "camp_sim/qualifiers.h"

namespace camp_sim {

// The i-th element of a word; elements count from the lowest bits.
template <typename T>
CAMP_SIM_ALWAYS_INLINE int element(unsigned word, unsigned i) {
  return static_cast<T>(word >> (8 * sizeof(T) * i));
}
template <typename T>
CAMP_SIM_ALWAYS_INLINE unsigned placed(int value, unsigned i) {
  return static_cast<unsigned>(static_cast<std::make_unsigned_t<T>>(value)) << (8 * sizeof(T) * i);
}
// operation(a, b) of each pair of elements, as int; the result wraps to the element.
template <typename T, typename Operation>
CAMP_SIM_ALWAYS_INLINE unsigned by_element(unsigned a, unsigned b, Operation operation) {
  unsigned result = 0;
  for (unsigned i = 0; i < 4 / sizeof(T); ++i)
    result |= placed<T>(operation(element<T>(a, i), element<T>(b, i)), i);
  return result;
}
template <typename T, typename Operation>
CAMP_SIM_ALWAYS_INLINE unsigned sum_of_elements(unsigned a, unsigned b, Operation operation) {
  unsigned result = 0;
  for (unsigned i = 0; i < 4 / sizeof(T); ++i)
    result += static_cast<unsigned>(operation(element<T>(a, i), element<T>(b, i)));
  return result;
}
template <typename T>
CAMP_SIM_ALWAYS_INLINE int clamped(int value) {
  constexpr int low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return value < low ? low : value > high ? high : value;
}
CAMP_SIM_ALWAYS_INLINE int greater_of(int a, int b) {
  return a > b ? a : b;
}
CAMP_SIM_ALWAYS_INLINE int lesser_of(int a, int b) {
  return a < b ? a : b;
}
CAMP_SIM_ALWAYS_INLINE int magnitude(int a) {
  return a < 0 ? -a : a;
}

}  // namespace camp_sim

#define CAMP_SIM_WORDS_2(name, element, expression)                                      \
  CAMP_SIM_ALWAYS_INLINE unsigned name(unsigned a, unsigned b) {                         \
    return camp_sim::by_element<element>(a, b, [](int x, int y) { return expression; }); \
  }
#define CAMP_SIM_WORDS_1(name, element, expression)                                     \
  CAMP_SIM_ALWAYS_INLINE unsigned name(unsigned a) {                                    \
    return camp_sim::by_element<element>(a, 0u, [](int x, int) { return expression; }); \
  }
#define CAMP_SIM_WORDS_SUM(name, element, expression)                                         \
  CAMP_SIM_ALWAYS_INLINE unsigned name(unsigned a, unsigned b) {                              \
    return camp_sim::sum_of_elements<element>(a, b, [](int x, int y) { return expression; }); \
  }
// Two 16-bit and four 8-bit elements; `sign` names the reading of the elements.
#define CAMP_SIM_SIGNED(form, name, expression)       \
  CAMP_SIM_WORDS_##form(name##2, int16_t, expression) \
      CAMP_SIM_WORDS_##form(name##4, int8_t, expression)
#define CAMP_SIM_UNSIGNED(form, name, expression)      \
  CAMP_SIM_WORDS_##form(name##2, uint16_t, expression) \
      CAMP_SIM_WORDS_##form(name##4, uint8_t, expression)
#define CAMP_SIM_SATURATED(form, name, signed_name, unsigned_name, expression)             \
  CAMP_SIM_SIGNED(form, name, expression)                                                  \
  CAMP_SIM_WORDS_##form(signed_name##2, int16_t, camp_sim::clamped<int16_t>(expression))   \
      CAMP_SIM_WORDS_##form(signed_name##4, int8_t, camp_sim::clamped<int8_t>(expression)) \
          CAMP_SIM_WORDS_##form(unsigned_name##2, uint16_t,                                \
                                camp_sim::clamped<uint16_t>(expression))                   \
              CAMP_SIM_WORDS_##form(unsigned_name##4, uint8_t,                             \
                                    camp_sim::clamped<uint8_t>(expression))

CAMP_SIM_SATURATED(2, __vadd, __vaddss, __vaddus, x + y)
CAMP_SIM_SATURATED(2, __vsub, __vsubss, __vsubus, x - y)
CAMP_SIM_SIGNED(1, __vabs, camp_sim::magnitude(x))
CAMP_SIM_WORDS_1(__vabsss2, int16_t, camp_sim::clamped<int16_t>(camp_sim::magnitude(x)))
CAMP_SIM_WORDS_1(__vabsss4, int8_t, camp_sim::clamped<int8_t>(camp_sim::magnitude(x)))
CAMP_SIM_SIGNED(1, __vneg, -x)
CAMP_SIM_WORDS_1(__vnegss2, int16_t, camp_sim::clamped<int16_t>(-x))
CAMP_SIM_WORDS_1(__vnegss4, int8_t, camp_sim::clamped<int8_t>(-x))
CAMP_SIM_SIGNED(2, __vabsdiffs, camp_sim::magnitude(x - y))
CAMP_SIM_UNSIGNED(2, __vabsdiffu, camp_sim::magnitude(x - y))
CAMP_SIM_SIGNED(SUM, __vsads, camp_sim::magnitude(x - y))
CAMP_SIM_UNSIGNED(SUM, __vsadu, camp_sim::magnitude(x - y))
// Averages: avg rounds away from zero, hadd down.
CAMP_SIM_SIGNED(2, __vavgs, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)
CAMP_SIM_UNSIGNED(2, __vavgu, (x + y + 1) >> 1)
CAMP_SIM_UNSIGNED(2, __vhaddu, (x + y) >> 1)
CAMP_SIM_SIGNED(2, __vmaxs, camp_sim::greater_of(x, y))
CAMP_SIM_UNSIGNED(2, __vmaxu, camp_sim::greater_of(x, y))
CAMP_SIM_SIGNED(2, __vmins, camp_sim::lesser_of(x, y))
CAMP_SIM_UNSIGNED(2, __vminu, camp_sim::lesser_of(x, y))

// Comparisons: all bits of an element (__vcmp) or its lowest (__vset).
#define CAMP_SIM_COMPARISON(kind, suffix, op)         \
  CAMP_SIM_##kind(2, __vcmp##suffix, x op y ? -1 : 0) \
      CAMP_SIM_##kind(2, __vset##suffix, x op y ? 1 : 0)
CAMP_SIM_COMPARISON(UNSIGNED, eq, ==)
CAMP_SIM_COMPARISON(UNSIGNED, ne, !=)
CAMP_SIM_COMPARISON(SIGNED, ges, >=)
CAMP_SIM_COMPARISON(SIGNED, gts, >)
CAMP_SIM_COMPARISON(SIGNED, les, <=)
CAMP_SIM_COMPARISON(SIGNED, lts, <)
CAMP_SIM_COMPARISON(UNSIGNED, geu, >=)
CAMP_SIM_COMPARISON(UNSIGNED, gtu, >)
CAMP_SIM_COMPARISON(UNSIGNED, leu, <=)
CAMP_SIM_COMPARISON(UNSIGNED, ltu, <)
#undef CAMP_SIM_COMPARISON
#undef CAMP_SIM_SATURATED
#undef CAMP_SIM_UNSIGNED
#undef CAMP_SIM_SIGNED
#undef CAMP_SIM_WORDS_SUM
#undef CAMP_SIM_WORDS_1
#undef CAMP_SIM_WORDS_2
