// The corrected twin of B37.
#define CAMP_FIXED
#include "B37_block_of_1500.cuh"
