// words.cu: functions on two 16-bit or four 8-bit integers in one word, and fused minima and
// maxima.
#include "functions.cuh"

#define PAIR(name)                                         \
  FUNCTION(name##2, unsigned, __##name##2(in.u(), in.v())) \
  FUNCTION(name##4, unsigned, __##name##4(in.u(), in.v()))
#define SINGLE(name)                               \
  FUNCTION(name##2, unsigned, __##name##2(in.u())) \
  FUNCTION(name##4, unsigned, __##name##4(in.u()))
// Elements that are equal now and then: both words from few bits.
#define COMPARISON(name)                                                               \
  FUNCTION(name##2, unsigned, __##name##2(in.u() & 0x80018001u, in.v() & 0x80018001u)) \
  FUNCTION(name##4, unsigned, __##name##4(in.u() & 0x81818181u, in.v() & 0x81818181u)) \
  FUNCTION(name##2_of_any, unsigned, __##name##2(in.u(), in.v()))                      \
  FUNCTION(name##4_of_any, unsigned, __##name##4(in.u(), in.v()))

SINGLE(vabs)
SINGLE(vabsss)
SINGLE(vneg)
SINGLE(vnegss)
PAIR(vabsdiffs)
PAIR(vabsdiffu)
PAIR(vadd)
PAIR(vaddss)
PAIR(vaddus)
PAIR(vsub)
PAIR(vsubss)
PAIR(vsubus)
PAIR(vavgs)
PAIR(vavgu)
PAIR(vhaddu)
PAIR(vmaxs)
PAIR(vmaxu)
PAIR(vmins)
PAIR(vminu)
PAIR(vsads)
PAIR(vsadu)
COMPARISON(vcmpeq)
COMPARISON(vcmpne)
COMPARISON(vcmpges)
COMPARISON(vcmpgeu)
COMPARISON(vcmpgts)
COMPARISON(vcmpgtu)
COMPARISON(vcmples)
COMPARISON(vcmpleu)
COMPARISON(vcmplts)
COMPARISON(vcmpltu)
COMPARISON(vseteq)
COMPARISON(vsetne)
COMPARISON(vsetges)
COMPARISON(vsetgeu)
COMPARISON(vsetgts)
COMPARISON(vsetgtu)
COMPARISON(vsetles)
COMPARISON(vsetleu)
COMPARISON(vsetlts)
COMPARISON(vsetltu)

#define FUSED(name)                                                           \
  FUNCTION(name##_s32, int, __##name##_s32(in.i(), in.j(), in.k()))           \
  FUNCTION(name##_u32, unsigned, __##name##_u32(in.u(), in.v(), in.w()))      \
  FUNCTION(name##_s32_relu, int, __##name##_s32_relu(in.i(), in.j(), in.k())) \
  FUNCTION(name##_s16x2, unsigned, __##name##_s16x2(in.u(), in.v(), in.w()))  \
  FUNCTION(name##_u16x2, unsigned, __##name##_u16x2(in.u(), in.v(), in.w()))  \
  FUNCTION(name##_s16x2_relu, unsigned, __##name##_s16x2_relu(in.u(), in.v(), in.w()))
FUSED(viaddmax)
FUSED(viaddmin)
FUSED(vimax3)
FUSED(vimin3)
FUNCTION(vimax_s32_relu, int, __vimax_s32_relu(in.i(), in.j()))
FUNCTION(vimin_s32_relu, int, __vimin_s32_relu(in.i(), in.j()))
FUNCTION(vimax_s16x2_relu, unsigned, __vimax_s16x2_relu(in.u(), in.v()))
FUNCTION(vimin_s16x2_relu, unsigned, __vimin_s16x2_relu(in.u(), in.v()))

// Which operand won, from few bits so that ties are met, above the result.
#define CHOICE(name, type, left, right)                                \
  __device__ inline unsigned long long chosen_##name(type a, type b) { \
    bool first;                                                        \
    const auto result = static_cast<unsigned>(__##name(a, b, &first)); \
    return (first ? 1ull : 0ull) << 32 | result;                       \
  }                                                                    \
  FUNCTION(name, unsigned long long, chosen_##name(left, right))
#define CHOICE_PAIR(name)                                                      \
  __device__ inline unsigned long long chosen_##name(unsigned a, unsigned b) { \
    bool high, low;                                                            \
    const unsigned result = __##name(a, b, &high, &low);                       \
    return (high ? 2ull : 0ull) << 32 | (low ? 1ull : 0ull) << 32 | result;    \
  }                                                                            \
  FUNCTION(name, unsigned long long, chosen_##name(in.u() & 0x80078007u, in.v() & 0x80078007u))
CHOICE(vibmax_s32, int, in.i() % 9, in.j() % 9)
CHOICE(vibmin_s32, int, in.i() % 9, in.j() % 9)
CHOICE(vibmax_u32, unsigned, in.u() & 0x80000003u, in.v() & 0x80000003u)
CHOICE(vibmin_u32, unsigned, in.u() & 0x80000003u, in.v() & 0x80000003u)
CHOICE_PAIR(vibmax_s16x2)
CHOICE_PAIR(vibmin_s16x2)
CHOICE_PAIR(vibmax_u16x2)
CHOICE_PAIR(vibmin_u16x2)

int main(int argument_count, char **arguments) {
  return evaluate_all(argument_count, arguments);
}
