// The corrected twin of B13.
#define CAMP_FIXED
#include "B13_wrong_first_stride.cuh"
