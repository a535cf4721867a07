// The corrected twin of B34.
#define CAMP_FIXED
#include "B34_early_return.cuh"
