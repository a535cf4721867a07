// The corrected twin of B67.
#define CAMP_FIXED
#include "B67_stride_one_short.cuh"
