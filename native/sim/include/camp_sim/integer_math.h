// integer_math.h: CUDA's integer device functions.
#pragma once

#include <cstdint>

#include "camp_sim/qualifiers.h"
#include "vector_types.h"

// Mixed signs compare as unsigned, mixed widths as the wider type, as CUDA's overloads do.
#define CAMP_SIM_MIN_MAX(result, left, right)                                        \
  CAMP_SIM_ALWAYS_INLINE result min(left a, right b) {                               \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a)  \
                                                           : static_cast<result>(b); \
  }                                                                                  \
  CAMP_SIM_ALWAYS_INLINE result max(left a, right b) {                               \
    return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a)  \
                                                           : static_cast<result>(b); \
  }
#define CAMP_SIM_MIN_MAX_FAMILY(type)                           \
  CAMP_SIM_MIN_MAX(type, type, type)                            \
  CAMP_SIM_MIN_MAX(unsigned type, unsigned type, unsigned type) \
  CAMP_SIM_MIN_MAX(unsigned type, type, unsigned type)          \
  CAMP_SIM_MIN_MAX(unsigned type, unsigned type, type)

CAMP_SIM_MIN_MAX_FAMILY(int)
CAMP_SIM_MIN_MAX_FAMILY(long)
CAMP_SIM_MIN_MAX_FAMILY(long long)
#undef CAMP_SIM_MIN_MAX_FAMILY
#undef CAMP_SIM_MIN_MAX

CAMP_SIM_ALWAYS_INLINE int __popc(unsigned x) {
  return __builtin_popcount(x);
}
CAMP_SIM_ALWAYS_INLINE int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
CAMP_SIM_ALWAYS_INLINE int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
CAMP_SIM_ALWAYS_INLINE int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
CAMP_SIM_ALWAYS_INLINE int __ffs(int x) {
  return __builtin_ffs(x);
}
CAMP_SIM_ALWAYS_INLINE int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
CAMP_SIM_ALWAYS_INLINE unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
CAMP_SIM_ALWAYS_INLINE unsigned long long __brevll(unsigned long long x) {
  const unsigned long long high = __brev(static_cast<unsigned>(x));
  return high << 32 | __brev(static_cast<unsigned>(x >> 32));
}
// Position of the n-th set bit of `mask` from bit `base` upward (n > 0) or downward (n < 0).
CAMP_SIM_ALWAYS_INLINE unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return (mask >> base & 1u) != 0 ? base : ~0u;
  const int step = n > 0 ? 1 : -1;
  int left = n > 0 ? n : -n;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
    if ((mask >> bit & 1u) != 0 && --left == 0) return static_cast<unsigned>(bit);
  }
  return ~0u;
}

CAMP_SIM_ALWAYS_INLINE int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<int64_t>(x) * y >> 32);
}
CAMP_SIM_ALWAYS_INLINE unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<uint64_t>(x) * y >> 32);
}
CAMP_SIM_ALWAYS_INLINE long long __mul64hi(long long x, long long y) {
  __extension__ typedef __int128 wide;
  return static_cast<long long>(static_cast<wide>(x) * y >> 64);
}
CAMP_SIM_ALWAYS_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  __extension__ typedef unsigned __int128 wide;
  return static_cast<unsigned long long>(static_cast<wide>(x) * y >> 64);
}
// The low 32 bits of the product of the low 24 bits.
CAMP_SIM_ALWAYS_INLINE unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xffffffu) * (y & 0xffffffu);
}
CAMP_SIM_ALWAYS_INLINE int __mul24(int x, int y) {
  const int64_t left = static_cast<int32_t>(static_cast<uint32_t>(x) << 8) >> 8;
  const int64_t right = static_cast<int32_t>(static_cast<uint32_t>(y) << 8) >> 8;
  return static_cast<int>(static_cast<uint32_t>(left * right));
}
// Averages without overflow; `rhadd` rounds up.
CAMP_SIM_ALWAYS_INLINE int __hadd(int x, int y) {
  return static_cast<int>((static_cast<int64_t>(x) + y) >> 1);
}
CAMP_SIM_ALWAYS_INLINE int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<int64_t>(x) + y + 1) >> 1);
}
CAMP_SIM_ALWAYS_INLINE unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<uint64_t>(x) + y) >> 1);
}
CAMP_SIM_ALWAYS_INLINE unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<uint64_t>(x) + y + 1) >> 1);
}
CAMP_SIM_ALWAYS_INLINE unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return (x > y ? x - y : y - x) + z;
}
CAMP_SIM_ALWAYS_INLINE unsigned __sad(int x, int y, unsigned z) {
  const int64_t difference = static_cast<int64_t>(x) - y;
  return static_cast<unsigned>(difference < 0 ? -difference : difference) + z;
}

// Picks four of the eight bytes of y:x (x low), by 3 bits in each of the selector's lowest nibbles.
CAMP_SIM_ALWAYS_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selectors) {
  const uint64_t bytes = static_cast<uint64_t>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned selector = selectors >> (4 * i);
    const unsigned byte = static_cast<unsigned>(bytes >> (8 * (selector & 7u))) & 0xffu;
    result |= byte << (8 * i);
  }
  return result;
}
CAMP_SIM_ALWAYS_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const uint64_t pair = static_cast<uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(pair << (shift & 31u) >> 32);
}
CAMP_SIM_ALWAYS_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const uint64_t pair = static_cast<uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(pair >> (shift & 31u));
}
CAMP_SIM_ALWAYS_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
CAMP_SIM_ALWAYS_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// Dot product of four bytes each, added to `sum`.
CAMP_SIM_ALWAYS_INLINE int __dp4a(int a, int b, int sum) {
  uint32_t result = static_cast<uint32_t>(sum);
  for (int i = 0; i < 32; i += 8) {
    result += static_cast<uint32_t>(static_cast<int8_t>(a >> i) * static_cast<int8_t>(b >> i));
  }
  return static_cast<int>(result);
}
CAMP_SIM_ALWAYS_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 32; i += 8)
    sum += (a >> i & 0xffu) * (b >> i & 0xffu);
  return sum;
}
CAMP_SIM_ALWAYS_INLINE int __dp4a(char4 a, char4 b, int sum) {
  return static_cast<int>(static_cast<unsigned>(sum) +
                          static_cast<unsigned>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
}
CAMP_SIM_ALWAYS_INLINE unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) {
  return sum + static_cast<unsigned>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}

// Two 16-bit numbers of `a` with the two lower (lo) or upper (hi) bytes of `b`.
#define CAMP_SIM_DP2A(name, shift)                                                               \
  CAMP_SIM_ALWAYS_INLINE int name(int a, int b, int sum) {                                       \
    const int first = static_cast<int16_t>(a) * static_cast<int8_t>(b >> shift);                 \
    const int second = static_cast<int16_t>(a >> 16) * static_cast<int8_t>(b >> (shift + 8));    \
    return static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(first + second)); \
  }                                                                                              \
  CAMP_SIM_ALWAYS_INLINE unsigned name(unsigned a, unsigned b, unsigned sum) {                   \
    return sum + (a & 0xffffu) * (b >> shift & 0xffu) + (a >> 16) * (b >> (shift + 8) & 0xffu);  \
  }
CAMP_SIM_DP2A(__dp2a_lo, 0)
CAMP_SIM_DP2A(__dp2a_hi, 16)
#undef CAMP_SIM_DP2A
CAMP_SIM_ALWAYS_INLINE int __dp2a_lo(short2 a, char4 b, int sum) {
  return static_cast<int>(static_cast<unsigned>(sum) +
                          static_cast<unsigned>(a.x * b.x + a.y * b.y));
}
CAMP_SIM_ALWAYS_INLINE int __dp2a_hi(short2 a, char4 b, int sum) {
  return static_cast<int>(static_cast<unsigned>(sum) +
                          static_cast<unsigned>(a.x * b.z + a.y * b.w));
}
CAMP_SIM_ALWAYS_INLINE unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned sum) {
  return sum + static_cast<unsigned>(a.x * b.x) + static_cast<unsigned>(a.y * b.y);
}
CAMP_SIM_ALWAYS_INLINE unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned sum) {
  return sum + static_cast<unsigned>(a.x * b.z) + static_cast<unsigned>(a.y * b.w);
}

// Named by type.
#define CAMP_SIM_NAMED_MIN_MAX(name, type)                \
  CAMP_SIM_ALWAYS_INLINE type name##min(type a, type b) { \
    return a < b ? a : b;                                 \
  }                                                       \
  CAMP_SIM_ALWAYS_INLINE type name##max(type a, type b) { \
    return a > b ? a : b;                                 \
  }
CAMP_SIM_NAMED_MIN_MAX(u, unsigned)
CAMP_SIM_NAMED_MIN_MAX(ll, long long)
CAMP_SIM_NAMED_MIN_MAX(ull, unsigned long long)
#undef CAMP_SIM_NAMED_MIN_MAX
