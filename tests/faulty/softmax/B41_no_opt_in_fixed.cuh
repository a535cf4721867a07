// The corrected twin of B41.
#define CAMP_FIXED
#include "B41_no_opt_in.cuh"
