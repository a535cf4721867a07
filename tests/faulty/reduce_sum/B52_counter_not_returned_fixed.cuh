// The corrected twin of B52.
#define CAMP_FIXED
#include "B52_counter_not_returned.cuh"
