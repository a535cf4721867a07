// math.h: CUDA's floating-point device functions that a host lacks. The approximate ones (__expf,
// __fdividef, ...) are exact to host precision here: a GPU's last bits differ.
#pragma once

#include <math.h>

#include <limits>

#include "camp_sim/casts.h"
#include "camp_sim/qualifiers.h"
#include "camp_sim/rounding.h"
#include "camp_sim/special_math.h"

namespace camp_sim {

// What `__name(x)` stands for where the C library declares a function of that name itself.
CAMP_SIM_ALWAYS_INLINE float fast_expf(float x) {
  return ::expf(x);
}
CAMP_SIM_ALWAYS_INLINE float fast_exp10f(float x) {
  return ::powf(10.0f, x);
}
CAMP_SIM_ALWAYS_INLINE float fast_logf(float x) {
  return ::logf(x);
}
CAMP_SIM_ALWAYS_INLINE float fast_log2f(float x) {
  return ::log2f(x);
}
CAMP_SIM_ALWAYS_INLINE float fast_log10f(float x) {
  return ::log10f(x);
}
CAMP_SIM_ALWAYS_INLINE float fast_powf(float x, float y) {
  return ::powf(x, y);
}
CAMP_SIM_ALWAYS_INLINE float fast_sinf(float x) {
  return ::sinf(x);
}
CAMP_SIM_ALWAYS_INLINE float fast_cosf(float x) {
  return ::cosf(x);
}
CAMP_SIM_ALWAYS_INLINE float fast_tanf(float x) {
  return ::tanf(x);
}
CAMP_SIM_ALWAYS_INLINE float fast_tanhf(float x) {
  return ::tanhf(x);
}
CAMP_SIM_ALWAYS_INLINE void fast_sincosf(float x, float *sine, float *cosine) {
  *sine = ::sinf(x);
  *cosine = ::cosf(x);
}

}  // namespace camp_sim

#define __expf(...) ::camp_sim::fast_expf(__VA_ARGS__)
#define __exp10f(...) ::camp_sim::fast_exp10f(__VA_ARGS__)
#define __logf(...) ::camp_sim::fast_logf(__VA_ARGS__)
#define __log2f(...) ::camp_sim::fast_log2f(__VA_ARGS__)
#define __log10f(...) ::camp_sim::fast_log10f(__VA_ARGS__)
#define __powf(...) ::camp_sim::fast_powf(__VA_ARGS__)
#define __sinf(...) ::camp_sim::fast_sinf(__VA_ARGS__)
#define __cosf(...) ::camp_sim::fast_cosf(__VA_ARGS__)
#define __tanf(...) ::camp_sim::fast_tanf(__VA_ARGS__)
#define __tanhf(...) ::camp_sim::fast_tanhf(__VA_ARGS__)
#define __sincosf(...) ::camp_sim::fast_sincosf(__VA_ARGS__)

// The C library has rsqrt and rsqrtf from version 2.42 on.
#if defined(__GLIBC__) && __GLIBC__ * 1000 + __GLIBC_MINOR__ < 2042
CAMP_SIM_ALWAYS_INLINE float rsqrtf(float x) {
  return static_cast<float>(1.0 / ::sqrt(double(x)));
}
CAMP_SIM_ALWAYS_INLINE double rsqrt(double x) {
  return 1.0 / ::sqrt(x);
}
#endif
CAMP_SIM_ALWAYS_INLINE float rsqrt(float x) {
  return static_cast<float>(1.0 / ::sqrt(double(x)));
}

CAMP_SIM_ALWAYS_INLINE float fdividef(float x, float y) {
  return x / y;
}
CAMP_SIM_ALWAYS_INLINE float __fdividef(float x, float y) {
  return x / y;
}
CAMP_SIM_ALWAYS_INLINE float __frcp_rn(float x) {
  return 1.0f / x;
}
CAMP_SIM_ALWAYS_INLINE float __frsqrt_rn(float x) {
  return rsqrtf(x);
}
CAMP_SIM_ALWAYS_INLINE float __fsqrt_rn(float x) {
  return ::sqrtf(x);
}
CAMP_SIM_ALWAYS_INLINE float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
// Doubles divide as exactly as ever.
CAMP_SIM_ALWAYS_INLINE double fdivide(double x, double y) {
  return x / y;
}
CAMP_SIM_ALWAYS_INLINE float fdivide(float x, float y) {
  return x / y;
}

// Never contracted into a multiply-add, which is why kernels use them.
CAMP_SIM_ALWAYS_INLINE float __fadd_rn(float x, float y) {
  return x + y;
}
CAMP_SIM_ALWAYS_INLINE float __fsub_rn(float x, float y) {
  return x - y;
}
CAMP_SIM_ALWAYS_INLINE float __fmul_rn(float x, float y) {
  return x * y;
}
CAMP_SIM_ALWAYS_INLINE float __fdiv_rn(float x, float y) {
  return x / y;
}
CAMP_SIM_ALWAYS_INLINE float __fmaf_rn(float x, float y, float z) {
  return ::fmaf(x, y, z);
}
CAMP_SIM_ALWAYS_INLINE double __dadd_rn(double x, double y) {
  return x + y;
}
CAMP_SIM_ALWAYS_INLINE double __dsub_rn(double x, double y) {
  return x - y;
}
CAMP_SIM_ALWAYS_INLINE double __dmul_rn(double x, double y) {
  return x * y;
}
CAMP_SIM_ALWAYS_INLINE double __ddiv_rn(double x, double y) {
  return x / y;
}
CAMP_SIM_ALWAYS_INLINE double __drcp_rn(double x) {
  return 1.0 / x;
}
CAMP_SIM_ALWAYS_INLINE double __dsqrt_rn(double x) {
  return ::sqrt(x);
}
CAMP_SIM_ALWAYS_INLINE double __fma_rn(double x, double y, double z) {
  return ::fma(x, y, z);
}

namespace camp_sim {
// A number wins over NaN, even over a signalling one (unlike the C library's); -0 is below +0.
template <typename T>
CAMP_SIM_ALWAYS_INLINE T smaller(T a, T b) {
  if (a != a) return b != b ? std::numeric_limits<T>::quiet_NaN() : b;
  return b != b || a < b || (a == b && ::signbit(a)) ? a : b;
}
template <typename T>
CAMP_SIM_ALWAYS_INLINE T larger(T a, T b) {
  if (a != a) return b != b ? std::numeric_limits<T>::quiet_NaN() : b;
  return b != b || a > b || (a == b && !::signbit(a)) ? a : b;
}
}  // namespace camp_sim

#define CAMP_SIM_MIN_MAX(result, left, right)          \
  CAMP_SIM_ALWAYS_INLINE result min(left a, right b) { \
    return camp_sim::smaller<result>(a, b);            \
  }                                                    \
  CAMP_SIM_ALWAYS_INLINE result max(left a, right b) { \
    return camp_sim::larger<result>(a, b);             \
  }
CAMP_SIM_MIN_MAX(float, float, float)
CAMP_SIM_MIN_MAX(double, double, double)
CAMP_SIM_MIN_MAX(double, float, double)
CAMP_SIM_MIN_MAX(double, double, float)
#undef CAMP_SIM_MIN_MAX
