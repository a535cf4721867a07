// bfloat16.cu: __nv_bfloat16 and __nv_bfloat162.
#define NUMBER __nv_bfloat16
#define NAMED(before, after) before##bfloat16##after
#define PAIR_NAMED(before, after) before##bfloat162##after
#define A in.bf_a()
#define B in.bf_b()
#define C in.bf_c()
#include "float16.cuh"
