// The corrected twin of B55.
#define CAMP_FIXED
#include "B55_smallest_positive.cuh"
