// The corrected twin of B35.
#define CAMP_FIXED
#include "B35_last_tile_ignored.cuh"
