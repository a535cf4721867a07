// The corrected twin of B38.
#define CAMP_FIXED
#include "B38_one_block_of_n.cuh"
