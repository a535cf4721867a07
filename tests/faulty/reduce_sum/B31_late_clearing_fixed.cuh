// The corrected twin of B31.
#define CAMP_FIXED
#include "B31_late_clearing.cuh"
