// The corrected twin of B24.
#define CAMP_FIXED
#include "B24_all_lanes_store.cuh"
