// The corrected twin of B04.
#define CAMP_FIXED
#include "B04_pairs_unaligned.cuh"
