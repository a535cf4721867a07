// The corrected twin of B69.
#define CAMP_FIXED
#include "B69_input_read_after_output.cuh"
