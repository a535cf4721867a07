// convert.cu: conversions between numbers with a stated rounding, casts, and bits of numbers.
#include "functions.cuh"

// From any bits, and from numbers in the range of the result.
#define TO_INTEGER_WAY(from, any, near, to, type, suffix)              \
  FUNCTION(from##_to_##to##suffix, type, __##from##2##to##suffix(any)) \
  FUNCTION(near_##from##_to_##to##suffix, type, __##from##2##to##suffix(near))
#define TO_INTEGER(from, any, near, to, type)    \
  TO_INTEGER_WAY(from, any, near, to, type, _rn) \
  TO_INTEGER_WAY(from, any, near, to, type, _rz) \
  TO_INTEGER_WAY(from, any, near, to, type, _ru) \
  TO_INTEGER_WAY(from, any, near, to, type, _rd)
TO_INTEGER(float, in.f(), in.near(), int, int)
TO_INTEGER(float, in.f(), in.near(), uint, unsigned)
TO_INTEGER(float, in.f(), in.near(), ll, long long)
TO_INTEGER(float, in.f(), in.near(), ull, unsigned long long)
TO_INTEGER(double, in.d(), in.near_d(), int, int)
TO_INTEGER(double, in.d(), in.near_d(), uint, unsigned)
TO_INTEGER(double, in.d(), in.near_d(), ll, long long)
TO_INTEGER(double, in.d(), in.near_d(), ull, unsigned long long)

#define TO_FLOAT_WAY(from, value, to, type, suffix) \
  FUNCTION(from##_to_##to##suffix, type, bits(__##from##2##to##suffix(value)))
#define TO_FLOAT(from, value, to, type)    \
  TO_FLOAT_WAY(from, value, to, type, _rn) \
  TO_FLOAT_WAY(from, value, to, type, _rz) \
  TO_FLOAT_WAY(from, value, to, type, _ru) \
  TO_FLOAT_WAY(from, value, to, type, _rd)
TO_FLOAT(int, in.i(), float, unsigned)
TO_FLOAT(uint, in.u(), float, unsigned)
TO_FLOAT(ll, in.l(), float, unsigned)
TO_FLOAT(ull, in.b, float, unsigned)
TO_FLOAT(ll, in.l(), double, unsigned long long)
TO_FLOAT(ull, in.b, double, unsigned long long)
TO_FLOAT(double, in.d(), float, unsigned)
TO_FLOAT_WAY(int, in.i(), double, unsigned long long, _rn)
TO_FLOAT_WAY(uint, in.u(), double, unsigned long long, _rn)
FUNCTION(near_double_to_float_rn, unsigned, bits(__double2float_rn(in.near_d())))
FUNCTION(near_double_to_float_rz, unsigned, bits(__double2float_rz(in.near_d())))
FUNCTION(near_double_to_float_ru, unsigned, bits(__double2float_ru(in.near_d())))
FUNCTION(near_double_to_float_rd, unsigned, bits(__double2float_rd(in.near_d())))

FUNCTION(int_as_float, unsigned, bits(__int_as_float(static_cast<int>(in.b))))
FUNCTION(float_as_int, int, __float_as_int(in.near()))
FUNCTION(uint_as_float, unsigned, bits(__uint_as_float(static_cast<unsigned>(in.b))))
FUNCTION(float_as_uint, unsigned, __float_as_uint(in.near()))
FUNCTION(longlong_as_double, unsigned long long,
         bits(__longlong_as_double(static_cast<long long>(in.b))))
FUNCTION(double_as_longlong, long long, __double_as_longlong(in.near_d()))
FUNCTION(double_hiint, int, __double2hiint(in.near_d()))
FUNCTION(double_loint, int, __double2loint(in.near_d()))
FUNCTION(hiloint_to_double, unsigned long long, bits(__hiloint2double(in.i(), in.j())))

// C++ casts of values that the result can hold.
FUNCTION(cast_float_to_int, int, static_cast<int>(in.between(-2e9, 2e9)))
FUNCTION(cast_double_to_unsigned, unsigned, static_cast<unsigned>(in.between(0.0, 4e9)))
FUNCTION(cast_float_to_short, short,
         static_cast<short>(static_cast<float>(in.between(-32000.0, 32000.0))))
FUNCTION(cast_int_to_float, unsigned, bits(static_cast<float>(in.i())))
FUNCTION(cast_long_long_to_double, unsigned long long, bits(static_cast<double>(in.l())))
FUNCTION(cast_double_to_float, unsigned, bits(static_cast<float>(in.d())))
FUNCTION(cast_int_to_char, signed char, static_cast<signed char>(in.i()))

int main(int argument_count, char **arguments) {
  return evaluate_all(argument_count, arguments);
}
