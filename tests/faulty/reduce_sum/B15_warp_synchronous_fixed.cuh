// The corrected twin of B15.
#define CAMP_FIXED
#include "B15_warp_synchronous.cuh"
