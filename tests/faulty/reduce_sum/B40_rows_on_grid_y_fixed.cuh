// The corrected twin of B40.
#define CAMP_FIXED
#include "B40_rows_on_grid_y.cuh"
