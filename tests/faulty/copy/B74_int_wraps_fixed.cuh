// The corrected twin of B74.
#define CAMP_FIXED
#include "B74_int_wraps.cuh"
