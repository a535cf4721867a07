// The corrected twin of B19.
#define CAMP_FIXED
#include "B19_absent_lane_in_maximum.cuh"
