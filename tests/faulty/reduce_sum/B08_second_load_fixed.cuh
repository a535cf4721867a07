// The corrected twin of B08.
#define CAMP_FIXED
#include "B08_second_load.cuh"
