// The corrected twin of B05.
#define CAMP_FIXED
#include "B05_only_input_aligned.cuh"
