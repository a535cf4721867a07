// vector_functions.h: make_float4 and its family.
#pragma once

#include "camp_sim/qualifiers.h"
#include "vector_types.h"

#define CAMP_SIM_MAKE_VECTOR(name, element)                                                   \
  CAMP_SIM_ALWAYS_INLINE name##1 make_##name##1(element x) {                                  \
    return name##1 {x};                                                                       \
  }                                                                                           \
  CAMP_SIM_ALWAYS_INLINE name##2 make_##name##2(element x, element y) {                       \
    return name##2 {x, y};                                                                    \
  }                                                                                           \
  CAMP_SIM_ALWAYS_INLINE name##3 make_##name##3(element x, element y, element z) {            \
    return name##3 {x, y, z};                                                                 \
  }                                                                                           \
  CAMP_SIM_ALWAYS_INLINE name##4 make_##name##4(element x, element y, element z, element w) { \
    return name##4 {x, y, z, w};                                                              \
  }

CAMP_SIM_MAKE_VECTOR(char, signed char)
CAMP_SIM_MAKE_VECTOR(uchar, unsigned char)
CAMP_SIM_MAKE_VECTOR(short, short)
CAMP_SIM_MAKE_VECTOR(ushort, unsigned short)
CAMP_SIM_MAKE_VECTOR(int, int)
CAMP_SIM_MAKE_VECTOR(uint, unsigned int)
CAMP_SIM_MAKE_VECTOR(long, long)
CAMP_SIM_MAKE_VECTOR(ulong, unsigned long)
CAMP_SIM_MAKE_VECTOR(longlong, long long)
CAMP_SIM_MAKE_VECTOR(ulonglong, unsigned long long)
CAMP_SIM_MAKE_VECTOR(float, float)
CAMP_SIM_MAKE_VECTOR(double, double)

#undef CAMP_SIM_MAKE_VECTOR
