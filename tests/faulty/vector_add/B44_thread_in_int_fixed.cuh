// The corrected twin of B44.
#define CAMP_FIXED
#include "B44_thread_in_int.cuh"
