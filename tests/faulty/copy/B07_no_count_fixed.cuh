// The corrected twin of B07.
#define CAMP_FIXED
#include "B07_no_count.cuh"
