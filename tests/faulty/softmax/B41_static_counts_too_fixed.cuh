// The corrected twin of B41.
#define CAMP_FIXED
#include "B41_static_counts_too.cuh"
