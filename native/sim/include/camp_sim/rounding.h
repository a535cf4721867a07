// rounding.h: arithmetic of float and double rounded toward zero, up or down, by computing exactly
// in a wider format: the host's rounding mode stays as it is.
#pragma once

#include <math.h>

#include <cstdint>

#include "camp_sim/qualifiers.h"

namespace camp_sim {

enum class Rounding { toward_zero, down, up };

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#else
typedef long double quad;  // 113 bits where the compiler has no __float128
#endif

// A format that holds the product of two T exactly, with room in its exponents.
template <typename T>
struct WiderOf;
template <>
struct WiderOf<float> {
  typedef double type;
};
template <>
struct WiderOf<double> {
  typedef quad type;
};
template <typename T>
using Wider = typename WiderOf<T>::type;

CAMP_SIM_ALWAYS_INLINE float next_toward(float x, float y) {
  return ::nextafterf(x, y);
}
CAMP_SIM_ALWAYS_INLINE double next_toward(double x, double y) {
  return ::nextafter(x, y);
}
CAMP_SIM_ALWAYS_INLINE float square_root(float x) {
  return ::sqrtf(x);
}
CAMP_SIM_ALWAYS_INLINE double square_root(double x) {
  return ::sqrt(x);
}
template <typename T>
CAMP_SIM_ALWAYS_INLINE bool is_finite(T x) {
  return x - x == 0;
}

// `nearest` is a neighbour of the exact value, which lies above it (side > 0), below or on it.
template <typename T>
CAMP_SIM_OUT_OF_LINE T directed(T nearest, int side, bool negative, Rounding rounding) {
  const bool upward = rounding == Rounding::up || (rounding == Rounding::toward_zero && negative);
  if (side > 0 && upward) return next_toward(nearest, static_cast<T>(HUGE_VAL));
  if (side < 0 && !upward) return next_toward(nearest, -static_cast<T>(HUGE_VAL));
  return nearest;
}

// Rounds value + rest; `rest` is at most half of the last place of `value`.
template <typename T, typename W>
CAMP_SIM_OUT_OF_LINE T round_directed(W value, W rest, Rounding rounding) {
  const T nearest = static_cast<T>(value);
  if (!is_finite(value)) return nearest;
  const W gap = value - static_cast<W>(nearest);
  const W decisive = gap != 0 ? gap : rest;
  const bool negative = value < 0 || (value == 0 && rest < 0);
  return directed(nearest, decisive > 0 ? 1 : decisive < 0 ? -1 : 0, negative, rounding);
}

template <typename T, typename W>
CAMP_SIM_OUT_OF_LINE T sum_directed(W a, W b, Rounding rounding) {
  const W sum = a + b;
  if (sum == 0) {
    // Opposites cancel to +0, or to -0 when rounding down; equal zeros stay.
    const bool negative = a == 0 && __builtin_signbit(a) == __builtin_signbit(b)
                              ? __builtin_signbit(a) != 0
                              : rounding == Rounding::down;
    return negative ? -T(0) : T(0);
  }
  // Knuth's exact error of the sum.
  const W part = sum - a;
  const W rest = (a - (sum - part)) + (b - part);
  return round_directed<T, W>(sum, rest, rounding);
}

template <typename T>
CAMP_SIM_ALWAYS_INLINE T add_directed(T a, T b, Rounding rounding) {
  return sum_directed<T, Wider<T>>(a, b, rounding);
}
template <typename T>
CAMP_SIM_ALWAYS_INLINE T multiply_directed(T a, T b, Rounding rounding) {
  const Wider<T> product = Wider<T>(a) * Wider<T>(b);
  return round_directed<T, Wider<T>>(product, 0, rounding);
}
template <typename T>
CAMP_SIM_ALWAYS_INLINE T fma_directed(T a, T b, T c, Rounding rounding) {
  const Wider<T> product = Wider<T>(a) * Wider<T>(b);
  return sum_directed<T, Wider<T>>(product, Wider<T>(c), rounding);
}
template <typename T>
CAMP_SIM_OUT_OF_LINE T divide_directed(T a, T b, Rounding rounding) {
  const T quotient = a / b;
  if (b == 0 || !is_finite(a) || !is_finite(b)) return quotient;
  const bool negative = __builtin_signbit(a) != __builtin_signbit(b);
  if (!is_finite(quotient)) return directed(quotient, negative ? 1 : -1, negative, rounding);
  // Exact in sign, since the product is exact.
  const Wider<T> rest = Wider<T>(a) - Wider<T>(quotient) * Wider<T>(b);
  const int side = rest == 0 ? 0 : (rest > 0) == (b > 0) ? 1 : -1;
  return directed(quotient, side, negative, rounding);
}
template <typename T>
CAMP_SIM_OUT_OF_LINE T square_root_directed(T x, Rounding rounding) {
  const T root = square_root(x);
  if (!(x > 0) || !is_finite(x)) return root;
  const Wider<T> rest = Wider<T>(x) - Wider<T>(root) * Wider<T>(root);
  return directed(root, rest > 0 ? 1 : rest < 0 ? -1 : 0, false, rounding);
}

}  // namespace camp_sim

// __fadd_rz, __dfma_ru and their like: to nearest is the operator itself, and never contracted into
// a multiply-add, which is why kernels use these.
#define CAMP_SIM_DIRECTED(suffix, rounding)                                               \
  CAMP_SIM_DIRECTED_OF(float, f, __fmaf, suffix, rounding)                                \
  CAMP_SIM_DIRECTED_OF(double, d, __fma, suffix, rounding)                                \
  CAMP_SIM_ALWAYS_INLINE float __fmaf_ieee##suffix(float x, float y, float z) {           \
    return camp_sim::fma_directed(x, y, z, camp_sim::Rounding::rounding);                 \
  }                                                                                       \
  CAMP_SIM_ALWAYS_INLINE float __double2float##suffix(double x) {                         \
    return camp_sim::round_directed<float, double>(x, 0.0, camp_sim::Rounding::rounding); \
  }                                                                                       \
  CAMP_SIM_DIRECTED_FROM(int, int, float, suffix, rounding)                               \
  CAMP_SIM_DIRECTED_FROM(unsigned, uint, float, suffix, rounding)                         \
  CAMP_SIM_DIRECTED_FROM(long long, ll, float, suffix, rounding)                          \
  CAMP_SIM_DIRECTED_FROM(unsigned long long, ull, float, suffix, rounding)                \
  CAMP_SIM_DIRECTED_FROM(long long, ll, double, suffix, rounding)                         \
  CAMP_SIM_DIRECTED_FROM(unsigned long long, ull, double, suffix, rounding)

#define CAMP_SIM_DIRECTED_OF(type, letter, fma, suffix, rounding)               \
  CAMP_SIM_ALWAYS_INLINE type __##letter##add##suffix(type x, type y) {         \
    return camp_sim::add_directed(x, y, camp_sim::Rounding::rounding);          \
  }                                                                             \
  CAMP_SIM_ALWAYS_INLINE type __##letter##sub##suffix(type x, type y) {         \
    return camp_sim::add_directed(x, -y, camp_sim::Rounding::rounding);         \
  }                                                                             \
  CAMP_SIM_ALWAYS_INLINE type __##letter##mul##suffix(type x, type y) {         \
    return camp_sim::multiply_directed(x, y, camp_sim::Rounding::rounding);     \
  }                                                                             \
  CAMP_SIM_ALWAYS_INLINE type __##letter##div##suffix(type x, type y) {         \
    return camp_sim::divide_directed(x, y, camp_sim::Rounding::rounding);       \
  }                                                                             \
  CAMP_SIM_ALWAYS_INLINE type __##letter##rcp##suffix(type x) {                 \
    return camp_sim::divide_directed(type(1), x, camp_sim::Rounding::rounding); \
  }                                                                             \
  CAMP_SIM_ALWAYS_INLINE type __##letter##sqrt##suffix(type x) {                \
    return camp_sim::square_root_directed(x, camp_sim::Rounding::rounding);     \
  }                                                                             \
  CAMP_SIM_ALWAYS_INLINE type fma##suffix(type x, type y, type z) {             \
    return camp_sim::fma_directed(x, y, z, camp_sim::Rounding::rounding);       \
  }

// A 113-bit format holds any 64-bit integer.
#define CAMP_SIM_DIRECTED_FROM(type, name, to, suffix, rounding)                           \
  CAMP_SIM_ALWAYS_INLINE to __##name##2##to##suffix(type x) {                              \
    return camp_sim::round_directed<to, camp_sim::quad>(static_cast<camp_sim::quad>(x), 0, \
                                                        camp_sim::Rounding::rounding);     \
  }

CAMP_SIM_DIRECTED(_rz, toward_zero)
CAMP_SIM_DIRECTED(_rd, down)
CAMP_SIM_DIRECTED(_ru, up)
#undef CAMP_SIM_DIRECTED
#undef CAMP_SIM_DIRECTED_OF
#undef CAMP_SIM_DIRECTED_FROM

CAMP_SIM_ALWAYS_INLINE float __fmaf_ieee_rn(float x, float y, float z) {
  return ::fmaf(x, y, z);
}
