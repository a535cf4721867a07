// The corrected twin of B44.
#define CAMP_FIXED
#include "B44_row_offset_in_int.cuh"
