// The corrected twin of B46.
#define CAMP_FIXED
#include "B46_column_in_int.cuh"
