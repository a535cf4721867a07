// The corrected twin of B57.
#define CAMP_FIXED
#include "B57_maxima_differ.cuh"
