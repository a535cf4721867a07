// The corrected twin of B14.
#define CAMP_FIXED
#include "B14_unrolled_last_warp.cuh"
