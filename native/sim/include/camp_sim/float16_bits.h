// float16_bits.h: conversions between 16-bit floating-point formats and float, on their bits.
// To nearest even; NaN becomes the GPU's one NaN, 0x7fff.
#pragma once

#include <math.h>

#include <cstdint>

#include "camp_sim/casts.h"
#include "camp_sim/qualifiers.h"
#include "camp_sim/rounding.h"

namespace camp_sim {

// IEEE binary16: 1 sign, 5 exponent, 10 fraction bits.
struct HalfFormat {
  static constexpr uint16_t nan = 0x7fff, infinity = 0x7c00, one = 0x3c00;

  CAMP_SIM_NO_SANITIZE static uint16_t from_float(float value) {
    const uint32_t bits = bit_cast<uint32_t>(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t result;
    if (magnitude > 0x7f800000u) return nan;
    if (magnitude >= 0x47800000u) {  // 2^16 and above
      result = infinity;
    } else if (magnitude < 0x38800000u) {
      // Below 2^-14 the result's last place is 2^-24, which is that of a float in [0.5, 1): let the
      // addition round.
      result = bit_cast<uint32_t>(bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    } else {
      // Drops 13 fraction bits and 112 of exponent bias; a carry may reach infinity, rightly.
      result = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23)) >> 13;
    }
    return static_cast<uint16_t>(sign | result);
  }

  CAMP_SIM_NO_SANITIZE static float to_float(uint16_t bits) {
    const uint32_t sign = uint32_t(bits & 0x8000u) << 16;
    const uint32_t magnitude = bits & 0x7fffu;
    if (magnitude > infinity) return bit_cast<float>(0x7fffffffu);
    if (magnitude == infinity) return bit_cast<float>(sign | 0x7f800000u);
    if (magnitude >= 0x400u) return bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
    const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
    return bit_cast<float>(sign | bit_cast<uint32_t>(subnormal));
  }
};

// bfloat16: the upper half of a float.
struct BfloatFormat {
  static constexpr uint16_t nan = 0x7fff, infinity = 0x7f80, one = 0x3f80;

  CAMP_SIM_NO_SANITIZE static uint16_t from_float(float value) {
    const uint32_t bits = bit_cast<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return nan;
    return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }

  CAMP_SIM_NO_SANITIZE static float to_float(uint16_t bits) {
    return bit_cast<float>(uint32_t(bits) << 16);
  }
};

// The float of `value` rounded toward zero with its last bit set when anything was lost: rounding
// that once more to 16 bits gives what rounding `value` itself would.
CAMP_SIM_NO_SANITIZE inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value || value != value) return nearest;
  uint32_t bits = bit_cast<uint32_t>(nearest);
  if (::fabs(back) > ::fabs(value)) --bits;
  return bit_cast<float>(bits | 1u);
}

// A double that rounds to 16 bits as the integer itself would.
CAMP_SIM_NO_SANITIZE inline double sticky_double(unsigned long long value) {
  constexpr unsigned long long lost = (1ull << 11) - 1;
  if (value >> 53 != 0 && (value & lost) != 0) value = (value & ~lost) | (lost + 1);
  return static_cast<double>(value);
}
CAMP_SIM_NO_SANITIZE inline double sticky_double(long long value) {
  const unsigned long long bits = static_cast<unsigned long long>(value);
  return value < 0 ? -sticky_double(0 - bits) : sticky_double(bits);
}

// a * b + c rounded once to 16 bits: the product is exact in double, the sum's error decides the
// last bit.
template <typename Format>
CAMP_SIM_NO_SANITIZE uint16_t fused_multiply_add(uint16_t a, uint16_t b, uint16_t c) {
  const double product = double(Format::to_float(a)) * double(Format::to_float(b));
  const double addend = double(Format::to_float(c));
  const double sum = product + addend;
  // Knuth's exact error of the sum.
  const double part = sum - product;
  const double error = (product - (sum - part)) + (addend - part);
  uint64_t bits = bit_cast<uint64_t>(sum);
  if (::isfinite(sum) && error != 0.0) {
    if ((error < 0.0) != (sum < 0.0)) --bits;
    bits |= 1u;
  }
  return Format::from_float(round_to_odd(bit_cast<double>(bits)));
}

template <typename Format>
CAMP_SIM_NO_SANITIZE uint16_t from_float_directed(float value, Rounding rounding) {
  const uint16_t nearest = Format::from_float(value);
  const float back = Format::to_float(nearest);
  if (back == value || value != value) return nearest;
  const bool negative = ::signbit(value);
  const bool too_large = ::fabsf(back) > ::fabsf(value);
  const bool outward = rounding == (negative ? Rounding::down : Rounding::up);
  if (outward && !too_large) return static_cast<uint16_t>(nearest + 1);
  if (!outward && too_large) return static_cast<uint16_t>(nearest - 1);
  return nearest;
}

}  // namespace camp_sim
