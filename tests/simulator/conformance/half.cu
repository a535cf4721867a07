// half.cu: __half and __half2.
#define NUMBER __half
#define NAMED(before, after) before##half##after
#define PAIR_NAMED(before, after) before##half2##after
#define A in.half_a()
#define B in.half_b()
#define C in.half_c()
#include "float16.cuh"
