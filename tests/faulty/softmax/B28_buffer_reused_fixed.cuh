// The corrected twin of B28.
#define CAMP_FIXED
#include "B28_buffer_reused.cuh"
