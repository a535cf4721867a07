// The corrected twin of B73.
#define CAMP_FIXED
#include "B73_no_pitch.cuh"
