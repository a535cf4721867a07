// The corrected twin of B65.
#define CAMP_FIXED
#include "B65_blocks_from_bytes.cuh"
