// The corrected twin.
#define CAMP_FIXED
#include "barrier_in_branch.cuh"
