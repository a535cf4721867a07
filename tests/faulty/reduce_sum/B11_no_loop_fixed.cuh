// The corrected twin of B11.
#define CAMP_FIXED
#include "B11_no_loop.cuh"
