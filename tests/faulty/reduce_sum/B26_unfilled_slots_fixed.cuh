// The corrected twin of B26.
#define CAMP_FIXED
#include "B26_unfilled_slots.cuh"
