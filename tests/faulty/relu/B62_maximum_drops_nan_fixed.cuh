// The corrected twin of B62.
#define CAMP_FIXED
#include "B62_maximum_drops_nan.cuh"
