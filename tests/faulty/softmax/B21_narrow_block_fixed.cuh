// The corrected twin of B21.
#define CAMP_FIXED
#include "B21_narrow_block.cuh"
