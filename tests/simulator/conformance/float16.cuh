// float16.cuh: everything of a 16-bit floating-point type and its pair. Included once by half.cu
// and bfloat16.cu, which set NUMBER (__half), PAIR (__half2), NAMED(a, b) (a##half##b),
// PAIR_NAMED(a, b) (a##half2##b) and A, B, C, the operands.
#include "functions.cuh"

#define RESULT16 unsigned short
#define AB PAIR_NAMED(make_, )(A, B)
#define BC PAIR_NAMED(make_, )(B, C)
#define CA PAIR_NAMED(make_, )(C, A)

// ---- conversions ----
FUNCTION(to_float, unsigned, bits(NAMED(__, 2float)(A)))
FUNCTION(from_bits, RESULT16, bits(NAMED(__short_as_, )(static_cast<short>(in.a))))
FUNCTION(to_bits, short, NAMED(__, _as_short)(A))
#define FROM_FLOAT(suffix)                                                      \
  FUNCTION(from_float##suffix, RESULT16, bits(NAMED(__float2, suffix)(in.f()))) \
  FUNCTION(from_near_float##suffix, RESULT16, bits(NAMED(__float2, suffix)(in.near())))
FROM_FLOAT()
FROM_FLOAT(_rn)
FROM_FLOAT(_rz)
FROM_FLOAT(_rd)
FROM_FLOAT(_ru)
FUNCTION(from_double, RESULT16, bits(NAMED(__double2, )(in.d())))
FUNCTION(from_near_double, RESULT16, bits(NAMED(__double2, )(in.near_d())))
#define INTEGER_WAY(name, type, value, suffix)                                     \
  FUNCTION(from_##name##suffix, RESULT16, bits(NAMED(__##name##2, suffix)(value))) \
  FUNCTION(to_##name##suffix, type, NAMED(__, 2##name##suffix)(A))
#define INTEGER(name, type, value)    \
  INTEGER_WAY(name, type, value, _rn) \
  INTEGER_WAY(name, type, value, _rz) \
  INTEGER_WAY(name, type, value, _rd) \
  INTEGER_WAY(name, type, value, _ru)
INTEGER(int, int, in.i())
INTEGER(uint, unsigned, in.u())
INTEGER(short, short, static_cast<short>(in.i()))
INTEGER(ushort, unsigned short, static_cast<unsigned short>(in.u()))
INTEGER(ll, long long, in.l())
INTEGER(ull, unsigned long long, static_cast<unsigned long long>(in.l()))
FUNCTION(to_char_rz, signed char, NAMED(__, 2char_rz)(A))
FUNCTION(to_uchar_rz, unsigned char, NAMED(__, 2uchar_rz)(A))
#define CAST(label, type) FUNCTION(cast_to_##label, type, static_cast<type>(A))
CAST(signed_char, signed char)
CAST(unsigned_char, unsigned char)
CAST(short, short)
CAST(unsigned_short, unsigned short)
CAST(int, int)
CAST(unsigned, unsigned)
CAST(long_long, long long)
CAST(unsigned_long_long, unsigned long long)
CAST(bool, bool)
#define CONSTRUCT(label, value) FUNCTION(constructed_from_##label, RESULT16, bits(NUMBER(value)))
CONSTRUCT(int, in.i())
CONSTRUCT(unsigned, in.u())
CONSTRUCT(long_long, in.l())
CONSTRUCT(float, in.near())
CONSTRUCT(double, in.near_d())

// ---- arithmetic and comparison: a function, its form on pairs and its operator ----
#define ARITHMETIC(label, scalar, pair)         \
  FUNCTION(label, RESULT16, bits(scalar(A, B))) \
  FUNCTION(label##_pair, unsigned, bits(pair(AB, BC)))
ARITHMETIC(add, __hadd, __hadd2)
ARITHMETIC(sub, __hsub, __hsub2)
ARITHMETIC(mul, __hmul, __hmul2)
ARITHMETIC(div, __hdiv, __h2div)
ARITHMETIC(add_rn, __hadd_rn, __hadd2_rn)
ARITHMETIC(sub_rn, __hsub_rn, __hsub2_rn)
ARITHMETIC(mul_rn, __hmul_rn, __hmul2_rn)
ARITHMETIC(add_sat, __hadd_sat, __hadd2_sat)
ARITHMETIC(sub_sat, __hsub_sat, __hsub2_sat)
ARITHMETIC(mul_sat, __hmul_sat, __hmul2_sat)
ARITHMETIC(max, __hmax, __hmax2)
ARITHMETIC(min, __hmin, __hmin2)
ARITHMETIC(max_nan, __hmax_nan, __hmax2_nan)
ARITHMETIC(min_nan, __hmin_nan, __hmin2_nan)
#define FUSED(label, scalar, pair)                 \
  FUNCTION(label, RESULT16, bits(scalar(A, B, C))) \
  FUNCTION(label##_pair, unsigned, bits(pair(AB, BC, CA)))
FUSED(fma, __hfma, __hfma2)
FUSED(fma_sat, __hfma_sat, __hfma2_sat)
FUSED(fma_relu, __hfma_relu, __hfma2_relu)
FUNCTION(complex_multiply_add, unsigned, bits(__hcmadd(AB, BC, CA)))
FUNCTION(negate, RESULT16, bits(__hneg(A)))
FUNCTION(negate_pair, unsigned, bits(__hneg2(AB)))
FUNCTION(absolute, RESULT16, bits(__habs(A)))
FUNCTION(absolute_pair, unsigned, bits(__habs2(AB)))
FUNCTION(plus, RESULT16, bits(A + B))
FUNCTION(minus, RESULT16, bits(A - B))
FUNCTION(times, RESULT16, bits(A *B))
FUNCTION(over, RESULT16, bits(A / B))
FUNCTION(minus_of, RESULT16, bits(-A))
FUNCTION(plus_pair, unsigned, bits(AB + BC))
FUNCTION(minus_pair, unsigned, bits(AB - BC))
FUNCTION(times_pair, unsigned, bits(AB *BC))
FUNCTION(over_pair, unsigned, bits(AB / BC))
FUNCTION(minus_of_pair, unsigned, bits(-AB))

#define COMPARISON(name)                                      \
  FUNCTION(name, bool, __h##name(A, B))                       \
  FUNCTION(name##_same, bool, __h##name(A, A))                \
  FUNCTION(name##_pair, unsigned, bits(__h##name##2(AB, BC))) \
  FUNCTION(name##_both, bool, __hb##name##2(AB, AB))          \
  FUNCTION(name##_mask, unsigned, __h##name##2_mask(AB, BC))
COMPARISON(eq)
COMPARISON(ne)
COMPARISON(lt)
COMPARISON(le)
COMPARISON(gt)
COMPARISON(ge)
COMPARISON(equ)
COMPARISON(neu)
COMPARISON(ltu)
COMPARISON(leu)
COMPARISON(gtu)
COMPARISON(geu)
#define OPERATOR(label, op)                \
  FUNCTION(operator_##label, bool, A op B) \
  FUNCTION(operator_##label##_pair, bool, AB op AB)
OPERATOR(eq, ==)
OPERATOR(ne, !=)
OPERATOR(lt, <)
OPERATOR(le, <=)
OPERATOR(gt, >)
OPERATOR(ge, >=)
FUNCTION(isnan, bool, __hisnan(A))
FUNCTION(isnan_pair, unsigned, bits(__hisnan2(AB)))
FUNCTION(isinf, int, __hisinf(A))

// ---- pairs ----
FUNCTION(pair_from_floats, unsigned, bits(PAIR_NAMED(__floats2, _rn)(in.near(), in.f())))
FUNCTION(pair_from_float, unsigned, bits(PAIR_NAMED(__float2, _rn)(in.near())))
FUNCTION(pair_from_float2, unsigned,
         bits(PAIR_NAMED(__float22, _rn)(make_float2(in.near(), in.f()))))
FUNCTION(pair_low, RESULT16, bits(NAMED(__low2, )(AB)))
FUNCTION(pair_high, RESULT16, bits(NAMED(__high2, )(AB)))
FUNCTION(pair_low_float, unsigned, bits(__low2float(AB)))
FUNCTION(pair_high_float, unsigned, bits(__high2float(AB)))
FUNCTION(pair_low_low, unsigned, bits(PAIR_NAMED(__low2, )(AB)))
FUNCTION(pair_high_high, unsigned, bits(PAIR_NAMED(__high2, )(AB)))
FUNCTION(pair_lows, unsigned, bits(PAIR_NAMED(__lows2, )(AB, BC)))
FUNCTION(pair_highs, unsigned, bits(PAIR_NAMED(__highs2, )(AB, BC)))
FUNCTION(pair_swapped, unsigned, bits(__lowhigh2highlow(AB)))
FUNCTION(pair_of_halves, unsigned, bits(PAIR_NAMED(__halves2, )(A, B)))

// ---- functions ----
#define ROUNDING(name)                       \
  FUNCTION(name, RESULT16, bits(h##name(A))) \
  FUNCTION(name##_pair, unsigned, bits(h2##name(AB)))
ROUNDING(ceil)
ROUNDING(floor)
ROUNDING(rint)
ROUNDING(trunc)
// The last place may differ: the simulator rounds a float's result, a GPU approximates. On a few
// inputs of moderate size, and on all for the square root, which is rounded right on both.
#define MODERATE NAMED(__float2, )(static_cast<float>(in.between(-4.0, 4.0)))
#define POSITIVE NAMED(__float2, )(static_cast<float>(in.between(0.0, 50.0)))
FUNCTION(sqrt, RESULT16, bits(hsqrt(A)))
APPROXIMATE(rcp, RESULT16, "ulp 1", bits(hrcp(MODERATE)))
APPROXIMATE(rsqrt, RESULT16, "ulp 1", bits(hrsqrt(POSITIVE)))
APPROXIMATE(exp, RESULT16, "ulp 1", bits(hexp(MODERATE)))
APPROXIMATE(exp2, RESULT16, "ulp 1", bits(hexp2(MODERATE)))
APPROXIMATE(exp10, RESULT16, "ulp 1", bits(hexp10(MODERATE)))
APPROXIMATE(log, RESULT16, "ulp 1", bits(hlog(POSITIVE)))
APPROXIMATE(log2, RESULT16, "ulp 1", bits(hlog2(POSITIVE)))
APPROXIMATE(log10, RESULT16, "ulp 1", bits(hlog10(POSITIVE)))
APPROXIMATE(sin, RESULT16, "ulp 1", bits(hsin(MODERATE)))
APPROXIMATE(cos, RESULT16, "ulp 1", bits(hcos(MODERATE)))
APPROXIMATE(tanh, RESULT16, "ulp 1", bits(htanh(MODERATE)))
APPROXIMATE(exp_pair, unsigned, "ulp16 1", bits(h2exp(PAIR_NAMED(make_, )(MODERATE, POSITIVE))))
APPROXIMATE(log_pair, unsigned, "ulp16 1", bits(h2log(PAIR_NAMED(make_, )(POSITIVE, POSITIVE))))

int main(int argument_count, char **arguments) {
  return evaluate_all(argument_count, arguments);
}
