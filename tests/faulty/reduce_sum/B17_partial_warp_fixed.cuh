// The corrected twin of B17.
#define CAMP_FIXED
#include "B17_partial_warp.cuh"
