// special_math.h: the functions of CUDA's math library that the C library lacks: inverse and scaled
// error functions, modified Bessel functions, lengths of vectors, sines of multiples of pi. Each is
// computed in long double and rounded once at the end.
#pragma once

#include <math.h>

#include "camp_sim/qualifiers.h"

namespace camp_sim {

constexpr long double pi = 3.14159265358979323846264338327950288L;
constexpr long double two_over_root_pi = 1.12837916709551257389615890312154517L;
constexpr long double root_half = 0.70710678118654752440084436210484904L;

// sin(pi x) and cos(pi x): the argument is reduced before it is multiplied, exactly.
CAMP_SIM_OUT_OF_LINE long double sine_of_pi(long double x) {
  const long double turned = ::remainderl(x, 2.0L);  // within [-1, 1]
  if (turned == 0 || ::fabsl(turned) == 1) return ::copysignl(0.0L, x);
  const long double half = ::fabsl(turned) > 0.5L ? ::copysignl(1.0L, turned) - turned : turned;
  return ::sinl(pi * half);
}
CAMP_SIM_OUT_OF_LINE long double cosine_of_pi(long double x) {
  const long double turned = ::fabsl(::remainderl(x, 2.0L));
  if (turned == 0.5L) return 0;
  return turned < 0.25L   ? ::cosl(pi * turned)
         : turned < 0.75L ? ::sinl(pi * (0.5L - turned))
                          : -::cosl(pi * (1.0L - turned));
}

// y with erfc(y) == x: Newton's method on the logarithm, which stays tame in the tail.
CAMP_SIM_OUT_OF_LINE long double erfc_inverse(long double x) {
  if (!(x >= 0 && x <= 2)) return NAN;
  if (x == 0) return HUGE_VALL;
  if (x == 2) return -HUGE_VALL;
  if (x > 1) return -erfc_inverse(2 - x);
  if (x == 1) return 0;
  long double y = x > 0.5L ? (1 - x) / two_over_root_pi : ::sqrtl(-::logl(x));
  for (int i = 0; i < 60; ++i) {
    const long double here = ::erfcl(y);
    const long double step = ::logl(here / x) * here / (two_over_root_pi * ::expl(-y * y));
    y += step;
    if (::fabsl(step) <= 1e-19L * ::fabsl(y)) break;
  }
  return y;
}
// y with erf(y) == x.
CAMP_SIM_OUT_OF_LINE long double erf_inverse(long double x) {
  if (!(x >= -1 && x <= 1)) return NAN;
  if (::fabsl(x) > 0.5L) return x > 0 ? erfc_inverse(1 - x) : -erfc_inverse(1 + x);
  long double y = x / two_over_root_pi;
  for (int i = 0; i < 60; ++i) {
    const long double step = (x - ::erfl(y)) / (two_over_root_pi * ::expl(-y * y));
    y += step;
    if (::fabsl(step) <= 1e-19L * ::fabsl(y)) break;
  }
  return y;
}
// exp(x * x) * erfc(x).
CAMP_SIM_OUT_OF_LINE long double erfc_scaled(long double x) {
  if (x < 12) return ::expl(x * x) * ::erfcl(x);
  long double term = 1, sum = 1;
  for (int n = 1; n < 20; ++n)
    sum += term *= -(2 * n - 1) / (2 * x * x);
  return sum * two_over_root_pi / (2 * x);
}
// Modified Bessel function of the first kind, order 0 or 1, by its power series: all terms are
// positive.
CAMP_SIM_OUT_OF_LINE long double bessel_i(int order, long double x) {
  if (!(::fabsl(x) < 11000)) return order == 0 ? ::fabsl(x) : x;
  const long double square = x * x / 4;
  long double term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; ::fabsl(term) > 1e-22L * ::fabsl(sum); ++k)
    sum += term *= square / (static_cast<long double>(k) * (k + order));
  return sum;
}
// The square root of a sum of squares; an infinity wins over NaN.
CAMP_SIM_ALWAYS_INLINE long double length(long double a, long double b, long double c,
                                          long double d) {
  return ::hypotl(::hypotl(a, b), ::hypotl(c, d));
}
template <typename T>
long double length(int dimensions, const T *elements) {
  long double result = 0;
  for (int i = 0; i < dimensions; ++i)
    result = ::hypotl(result, static_cast<long double>(elements[i]));
  return result;
}

}  // namespace camp_sim

// name(double), namef(float) and name(float).
#define CAMP_SIM_SPECIAL(name, expression)        \
  CAMP_SIM_ALWAYS_INLINE double name(double x) {  \
    return static_cast<double>(expression);       \
  }                                               \
  CAMP_SIM_ALWAYS_INLINE float name##f(float x) { \
    return static_cast<float>(expression);        \
  }                                               \
  CAMP_SIM_ALWAYS_INLINE float name(float x) {    \
    return static_cast<float>(expression);        \
  }
CAMP_SIM_SPECIAL(erfinv, camp_sim::erf_inverse(x))
CAMP_SIM_SPECIAL(erfcinv, camp_sim::erfc_inverse(x))
CAMP_SIM_SPECIAL(erfcx, camp_sim::erfc_scaled(x))
CAMP_SIM_SPECIAL(normcdf, 0.5L * ::erfcl(x * -camp_sim::root_half))
CAMP_SIM_SPECIAL(normcdfinv, -camp_sim::erfc_inverse(2.0L * x) / camp_sim::root_half)
CAMP_SIM_SPECIAL(rcbrt, 1 / ::cbrtl(x))
CAMP_SIM_SPECIAL(cyl_bessel_i0, camp_sim::bessel_i(0, x))
CAMP_SIM_SPECIAL(cyl_bessel_i1, camp_sim::bessel_i(1, x))
// The C library has these from version 2.41 on, as C23 asks.
#if defined(__GLIBC__) && __GLIBC__ * 1000 + __GLIBC_MINOR__ < 2041
CAMP_SIM_SPECIAL(sinpi, camp_sim::sine_of_pi(x))
CAMP_SIM_SPECIAL(cospi, camp_sim::cosine_of_pi(x))
#endif
#undef CAMP_SIM_SPECIAL

#define CAMP_SIM_LENGTHS(type, suffix)                                              \
  CAMP_SIM_ALWAYS_INLINE type norm3d##suffix(type a, type b, type c) {              \
    return static_cast<type>(camp_sim::length(a, b, c, 0));                         \
  }                                                                                 \
  CAMP_SIM_ALWAYS_INLINE type norm4d##suffix(type a, type b, type c, type d) {      \
    return static_cast<type>(camp_sim::length(a, b, c, d));                         \
  }                                                                                 \
  CAMP_SIM_ALWAYS_INLINE type rhypot##suffix(type a, type b) {                      \
    return static_cast<type>(1 / camp_sim::length(a, b, 0, 0));                     \
  }                                                                                 \
  CAMP_SIM_ALWAYS_INLINE type rnorm3d##suffix(type a, type b, type c) {             \
    return static_cast<type>(1 / camp_sim::length(a, b, c, 0));                     \
  }                                                                                 \
  CAMP_SIM_ALWAYS_INLINE type rnorm4d##suffix(type a, type b, type c, type d) {     \
    return static_cast<type>(1 / camp_sim::length(a, b, c, d));                     \
  }                                                                                 \
  CAMP_SIM_ALWAYS_INLINE type norm##suffix(int dimensions, const type *elements) {  \
    return static_cast<type>(camp_sim::length(dimensions, elements));               \
  }                                                                                 \
  CAMP_SIM_ALWAYS_INLINE type rnorm##suffix(int dimensions, const type *elements) { \
    return static_cast<type>(1 / camp_sim::length(dimensions, elements));           \
  }                                                                                 \
  CAMP_SIM_ALWAYS_INLINE void sincospi##suffix(type x, type *sine, type *cosine) {  \
    *sine = static_cast<type>(camp_sim::sine_of_pi(x));                             \
    *cosine = static_cast<type>(camp_sim::cosine_of_pi(x));                         \
  }
CAMP_SIM_LENGTHS(float, f)
CAMP_SIM_LENGTHS(double, )
#undef CAMP_SIM_LENGTHS
