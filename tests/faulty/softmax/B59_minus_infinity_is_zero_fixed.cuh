// The corrected twin of B59.
#define CAMP_FIXED
#include "B59_minus_infinity_is_zero.cuh"
