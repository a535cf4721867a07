// The corrected twin of B49.
#define CAMP_FIXED
#include "B49_half_accumulator.cuh"
