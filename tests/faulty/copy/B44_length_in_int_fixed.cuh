// The corrected twin of B44.
#define CAMP_FIXED
#include "B44_length_in_int.cuh"
