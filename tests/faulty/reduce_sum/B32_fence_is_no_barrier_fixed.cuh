// The corrected twin of B32.
#define CAMP_FIXED
#include "B32_fence_is_no_barrier.cuh"
