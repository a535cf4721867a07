// The corrected twin of B52.
#define CAMP_FIXED
#include "B52_target_not_cleared.cuh"
