// The corrected twin of B02.
#define CAMP_FIXED
#include "B02_no_tail.cuh"
