// The corrected twin of B54.
#define CAMP_FIXED
#include "B54_no_maximum.cuh"
