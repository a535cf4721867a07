// integer.cu: integer functions of one word or two.
#include "functions.cuh"

FUNCTION(popc, int, __popc(in.u()))
FUNCTION(popcll, int, __popcll(in.b))
FUNCTION(clz, int, __clz(in.i()))
FUNCTION(clzll, int, __clzll(in.l()))
FUNCTION(ffs, int, __ffs(in.i()))
FUNCTION(ffsll, int, __ffsll(in.l()))
FUNCTION(brev, unsigned, __brev(in.u()))
FUNCTION(brevll, unsigned long long, __brevll(in.b))
FUNCTION(fns, unsigned, __fns(in.u(), in.h() & 31u, static_cast<int>(in.c & 15) - 7))
FUNCTION(mulhi, int, __mulhi(in.i(), in.j()))
FUNCTION(umulhi, unsigned, __umulhi(in.u(), in.v()))
FUNCTION(mul64hi, long long, __mul64hi(in.l(), in.m()))
FUNCTION(umul64hi, unsigned long long, __umul64hi(in.b, in.c))
FUNCTION(mul24, int, __mul24(in.i(), in.j()))
FUNCTION(umul24, unsigned, __umul24(in.u(), in.v()))
FUNCTION(hadd, int, __hadd(in.i(), in.j()))
FUNCTION(rhadd, int, __rhadd(in.i(), in.j()))
FUNCTION(uhadd, unsigned, __uhadd(in.u(), in.v()))
FUNCTION(urhadd, unsigned, __urhadd(in.u(), in.v()))
FUNCTION(sad, unsigned, __sad(in.i(), in.j(), in.w()))
FUNCTION(usad, unsigned, __usad(in.u(), in.v(), in.w()))
FUNCTION(byte_perm, unsigned, __byte_perm(in.u(), in.v(), static_cast<unsigned>(in.a >> 20)))
FUNCTION(funnelshift_l, unsigned, __funnelshift_l(in.u(), in.v(), in.h() & 63u))
FUNCTION(funnelshift_r, unsigned, __funnelshift_r(in.u(), in.v(), in.h() & 63u))
FUNCTION(funnelshift_lc, unsigned, __funnelshift_lc(in.u(), in.v(), in.h() & 63u))
FUNCTION(funnelshift_rc, unsigned, __funnelshift_rc(in.u(), in.v(), in.h() & 63u))

FUNCTION(dp4a, int, __dp4a(in.i(), in.j(), in.k()))
FUNCTION(dp4a_unsigned, unsigned, __dp4a(in.u(), in.v(), in.w()))
FUNCTION(dp2a_lo, int, __dp2a_lo(in.i(), in.j(), in.k()))
FUNCTION(dp2a_hi, int, __dp2a_hi(in.i(), in.j(), in.k()))
FUNCTION(dp2a_lo_unsigned, unsigned, __dp2a_lo(in.u(), in.v(), in.w()))
FUNCTION(dp2a_hi_unsigned, unsigned, __dp2a_hi(in.u(), in.v(), in.w()))

// The same from vectors of their elements.
__device__ inline signed char byte(int x, int i) {
  return static_cast<signed char>(x >> (8 * i));
}
__device__ inline unsigned char byte(unsigned x, int i) {
  return static_cast<unsigned char>(x >> (8 * i));
}
__device__ inline char4 bytes(int x) {
  return make_char4(byte(x, 0), byte(x, 1), byte(x, 2), byte(x, 3));
}
__device__ inline uchar4 bytes(unsigned x) {
  return make_uchar4(byte(x, 0), byte(x, 1), byte(x, 2), byte(x, 3));
}
__device__ inline short2 halves(int x) {
  return make_short2(static_cast<short>(x), static_cast<short>(x >> 16));
}
__device__ inline ushort2 halves(unsigned x) {
  return make_ushort2(static_cast<unsigned short>(x), static_cast<unsigned short>(x >> 16));
}
FUNCTION(dp4a_char4, int, __dp4a(bytes(in.i()), bytes(in.j()), in.k()))
FUNCTION(dp4a_uchar4, unsigned, __dp4a(bytes(in.u()), bytes(in.v()), in.w()))
FUNCTION(dp2a_lo_short2, int, __dp2a_lo(halves(in.i()), bytes(in.j()), in.k()))
FUNCTION(dp2a_hi_short2, int, __dp2a_hi(halves(in.i()), bytes(in.j()), in.k()))
FUNCTION(dp2a_lo_ushort2, unsigned, __dp2a_lo(halves(in.u()), bytes(in.v()), in.w()))
FUNCTION(dp2a_hi_ushort2, unsigned, __dp2a_hi(halves(in.u()), bytes(in.v()), in.w()))

FUNCTION(min_int, int, min(in.i(), in.j()))
FUNCTION(max_int, int, max(in.i(), in.j()))
FUNCTION(min_unsigned, unsigned, min(in.u(), in.v()))
FUNCTION(max_mixed, unsigned, max(in.i(), in.v()))
FUNCTION(min_long_long, long long, min(in.l(), in.m()))
FUNCTION(max_unsigned_long_long, unsigned long long, max(in.b, in.c))
FUNCTION(umin, unsigned, umin(in.u(), in.v()))
FUNCTION(umax, unsigned, umax(in.u(), in.v()))
FUNCTION(llmin, long long, llmin(in.l(), in.m()))
FUNCTION(llmax, long long, llmax(in.l(), in.m()))
FUNCTION(ullmin, unsigned long long, ullmin(in.b, in.c))
FUNCTION(ullmax, unsigned long long, ullmax(in.b, in.c))
FUNCTION(abs_int, int, abs(in.i() | 1))
FUNCTION(llabs, long long, llabs(in.l() | 1))

// Operators where a host and a GPU could differ; shifts stay below the width.
FUNCTION(shift_right_signed, int, in.i() >> (in.h() & 31))
FUNCTION(divide_int, int, in.i() / (in.j() == 0 || in.j() == -1 ? 7 : in.j()))
FUNCTION(remainder_int, int, in.i() % (in.j() == 0 || in.j() == -1 ? 7 : in.j()))
FUNCTION(divide_unsigned_long_long, unsigned long long, in.b / (in.c >> (in.a & 63) | 1))
FUNCTION(remainder_long_long, long long, in.l() % ((in.m() | 1) == -1 ? 3 : (in.m() | 1)))

int main(int argument_count, char **arguments) {
  return evaluate_all(argument_count, arguments);
}
