// The corrected twin of B47.
#define CAMP_FIXED
#include "B47_single_accumulator.cuh"
