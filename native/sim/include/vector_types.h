// vector_types.h: CUDA's short vector types and dim3. Copying one of 2, 4, 8 or 16 bytes is one
// access of that width, as on a GPU.
#pragma once

namespace camp_sim {
// A vector of 2 or 4 is aligned to its size, at most to 16 bytes; one of 3 to its element.
constexpr unsigned long vector_alignment(unsigned long bytes) {
  return bytes < 16 ? bytes : 16;
}
}  // namespace camp_sim

#if defined(__clang__)
#include "camp_sim/whole_copy.h"
#else
// Plain aggregates: with -fno-tree-sra g++ copies them whole by itself.
#define CAMP_SIM_VECTOR_MEMBERS_2(name, element)
#define CAMP_SIM_VECTOR_MEMBERS_4(name, element)
#endif

#define CAMP_SIM_VECTOR(name, element)                                      \
  struct name##1 {                                                          \
    element x;                                                              \
  };                                                                        \
  struct alignas(camp_sim::vector_alignment(2 * sizeof(element))) name##2 { \
    element x, y;                                                           \
    CAMP_SIM_VECTOR_MEMBERS_2(name##2, element)                             \
  };                                                                        \
  struct name##3 {                                                          \
    element x, y, z;                                                        \
  };                                                                        \
  struct alignas(camp_sim::vector_alignment(4 * sizeof(element))) name##4 { \
    element x, y, z, w;                                                     \
    CAMP_SIM_VECTOR_MEMBERS_4(name##4, element)                             \
  }

CAMP_SIM_VECTOR(char, signed char);
CAMP_SIM_VECTOR(uchar, unsigned char);
CAMP_SIM_VECTOR(short, short);
CAMP_SIM_VECTOR(ushort, unsigned short);
CAMP_SIM_VECTOR(int, int);
CAMP_SIM_VECTOR(uint, unsigned int);
CAMP_SIM_VECTOR(long, long);
CAMP_SIM_VECTOR(ulong, unsigned long);
CAMP_SIM_VECTOR(longlong, long long);
CAMP_SIM_VECTOR(ulonglong, unsigned long long);
CAMP_SIM_VECTOR(float, float);
CAMP_SIM_VECTOR(double, double);

#undef CAMP_SIM_VECTOR
#undef CAMP_SIM_VECTOR_MEMBERS_2
#undef CAMP_SIM_VECTOR_MEMBERS_4

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_size = 1, unsigned int y_size = 1, unsigned int z_size = 1)
      : x(x_size), y(y_size), z(z_size) {}
  constexpr dim3(uint3 sizes) : x(sizes.x), y(sizes.y), z(sizes.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
