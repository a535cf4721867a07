// float.cu: arithmetic and functions of float and double whose results are exact or rounded once.
#include "functions.cuh"

// On any bits and on numbers of like size.
#define EACH(label, type, call_any, call_near) \
  FUNCTION(label, type, bits(call_any))        \
  FUNCTION(near_##label, type, bits(call_near))
#define ARITHMETIC(suffix)                                                                    \
  EACH(fadd##suffix, unsigned, __fadd##suffix(in.f(), in.g()),                                \
       __fadd##suffix(in.near(), in.near_b()))                                                \
  EACH(fsub##suffix, unsigned, __fsub##suffix(in.f(), in.g()),                                \
       __fsub##suffix(in.near(), in.near_b()))                                                \
  EACH(fmul##suffix, unsigned, __fmul##suffix(in.f(), in.g()),                                \
       __fmul##suffix(in.near(), in.near_b()))                                                \
  EACH(fdiv##suffix, unsigned, __fdiv##suffix(in.f(), in.g()),                                \
       __fdiv##suffix(in.near(), in.near_b()))                                                \
  EACH(fma_float##suffix, unsigned, __fmaf##suffix(in.f(), in.g(), in.near()),                \
       __fmaf##suffix(in.near(), in.near_b(), -in.near()))                                    \
  EACH(fmaf_ieee##suffix, unsigned, __fmaf_ieee##suffix(in.f(), in.g(), in.near()),           \
       __fmaf_ieee##suffix(in.near(), in.near_b(), static_cast<float>(in.i())))               \
  EACH(frcp##suffix, unsigned, __frcp##suffix(in.f()), __frcp##suffix(in.near()))             \
  EACH(fsqrt##suffix, unsigned, __fsqrt##suffix(in.f()), __fsqrt##suffix(fabsf(in.near())))   \
  EACH(dadd##suffix, unsigned long long, __dadd##suffix(in.d(), in.e()),                      \
       __dadd##suffix(in.near_d(), in.near_e()))                                              \
  EACH(dsub##suffix, unsigned long long, __dsub##suffix(in.d(), in.e()),                      \
       __dsub##suffix(in.near_d(), in.near_e()))                                              \
  EACH(dmul##suffix, unsigned long long, __dmul##suffix(in.d(), in.e()),                      \
       __dmul##suffix(in.near_d(), in.near_e()))                                              \
  EACH(ddiv##suffix, unsigned long long, __ddiv##suffix(in.d(), in.e()),                      \
       __ddiv##suffix(in.near_d(), in.near_e()))                                              \
  EACH(fma_double##suffix, unsigned long long, __fma##suffix(in.d(), in.e(), in.near_d()),    \
       __fma##suffix(in.near_d(), in.near_e(), -in.near_d()))                                 \
  EACH(drcp##suffix, unsigned long long, __drcp##suffix(in.d()), __drcp##suffix(in.near_d())) \
  EACH(dsqrt##suffix, unsigned long long, __dsqrt##suffix(in.d()),                            \
       __dsqrt##suffix(fabs(in.near_d())))
ARITHMETIC(_rn)
ARITHMETIC(_rz)
ARITHMETIC(_ru)
ARITHMETIC(_rd)

// Sums that cancel exactly: the sign of zero depends on the rounding.
FUNCTION(fadd_rd_of_opposites, unsigned, bits(__fadd_rd(in.f(), -in.f())))
FUNCTION(fadd_ru_of_opposites, unsigned, bits(__fadd_ru(in.f(), -in.f())))
FUNCTION(dadd_rd_of_opposites, unsigned long long, bits(__dadd_rd(in.d(), -in.d())))

FUNCTION(operator_plus, unsigned, bits(in.f() + in.g()))
FUNCTION(operator_times, unsigned, bits(in.f() * in.g()))
FUNCTION(operator_over, unsigned, bits(in.f() / in.g()))
FUNCTION(operator_over_double, unsigned long long, bits(in.d() / in.e()))
FUNCTION(saturate, unsigned, bits(__saturatef(in.near())))
FUNCTION(frsqrt_rn, unsigned, bits(__frsqrt_rn(fabsf(in.near()))))
FUNCTION(min_float, unsigned, bits(min(in.f(), in.near())))
FUNCTION(max_float, unsigned, bits(max(in.f(), in.near())))
FUNCTION(min_double, unsigned long long, bits(min(in.d(), in.near_d())))
FUNCTION(max_double, unsigned long long, bits(max(in.d(), in.near_d())))

#define ONE(name)                                              \
  FUNCTION(name##f, unsigned, bits(name##f(in.f())))           \
  FUNCTION(near_##name##f, unsigned, bits(name##f(in.near()))) \
  FUNCTION(name, unsigned long long, bits(name(in.near_d())))
#define TWO(name)                                                           \
  FUNCTION(name##f, unsigned, bits(name##f(in.quiet_f(), in.quiet_g())))    \
  FUNCTION(near_##name##f, unsigned, bits(name##f(in.near(), in.near_b()))) \
  FUNCTION(name, unsigned long long, bits(name(in.near_d(), in.near_e())))
ONE(fabs)
ONE(ceil)
ONE(floor)
ONE(trunc)
ONE(rint)
ONE(round)
ONE(nearbyint)
ONE(logb)
ONE(sqrt)
TWO(fmin)
TWO(fmax)
TWO(fdim)
TWO(fmod)
TWO(remainder)
TWO(copysign)
TWO(nextafter)
FUNCTION(fmaf, unsigned, bits(fmaf(in.near(), in.near_b(), in.f())))
FUNCTION(fma, unsigned long long, bits(fma(in.near_d(), in.near_e(), in.d())))
FUNCTION(ldexpf, unsigned, bits(ldexpf(in.near(), in.i() % 300)))
FUNCTION(ldexp, unsigned long long, bits(ldexp(in.near_d(), in.i() % 2000)))
FUNCTION(scalbnf, unsigned, bits(scalbnf(in.near(), in.i() % 300)))
FUNCTION(ilogbf, int, ilogbf(in.near()))
FUNCTION(lrintf, long, lrintf(in.near()))
FUNCTION(llrint, long long, llrint(in.near_d()))
FUNCTION(lroundf, long, lroundf(in.near()))
FUNCTION(llround, long long, llround(in.near_d()))
FUNCTION(isnan, bool, isnan(in.f()))
FUNCTION(isinf, bool, isinf(in.f()))
FUNCTION(isfinite, bool, isfinite(in.f()))
FUNCTION(signbit, bool, signbit(in.f()))
__device__ inline unsigned long long parts_of(float x) {
  int exponent = 0;
  float whole = 0.0f;
  const float fraction = frexpf(x, &exponent), rest = modff(x, &whole);
  return (static_cast<unsigned long long>(__float_as_uint(fraction)) << 32 |
          static_cast<unsigned>(exponent)) ^
         (static_cast<unsigned long long>(__float_as_uint(whole)) << 16 ^ __float_as_uint(rest));
}
FUNCTION(frexpf_and_modff, unsigned long long, parts_of(in.near()))
__device__ inline unsigned long long quotient_of(float x, float y) {
  int quotient = 0;
  const float rest = remquof(x, y, &quotient);
  return static_cast<unsigned long long>(__float_as_uint(rest)) << 32 |
         (static_cast<unsigned>(quotient) & 7u);
}
FUNCTION(remquof, unsigned long long, quotient_of(in.near(), in.near_b()))

int main(int argument_count, char **arguments) {
  return evaluate_all(argument_count, arguments);
}
