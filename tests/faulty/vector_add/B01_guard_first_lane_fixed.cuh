// The corrected twin of B01.
#define CAMP_FIXED
#include "B01_guard_first_lane.cuh"
