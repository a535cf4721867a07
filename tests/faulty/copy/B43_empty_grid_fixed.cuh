// The corrected twin of B43.
#define CAMP_FIXED
#include "B43_empty_grid.cuh"
