// The corrected twin of B10.
#define CAMP_FIXED
#include "B10_first_warp_only.cuh"
