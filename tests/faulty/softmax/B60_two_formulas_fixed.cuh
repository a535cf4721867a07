// The corrected twin of B60.
#define CAMP_FIXED
#include "B60_two_formulas.cuh"
