// The corrected twin of B74.
#define CAMP_FIXED
#include "B74_input_written.cuh"
