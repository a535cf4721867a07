// The corrected twin of B23.
#define CAMP_FIXED
#include "B23_total_in_lane_0.cuh"
