// The corrected twin of B35.
#define CAMP_FIXED
#include "B35_barrier_in_loop.cuh"
