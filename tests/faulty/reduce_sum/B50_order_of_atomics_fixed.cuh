// The corrected twin of B50.
#define CAMP_FIXED
#include "B50_order_of_atomics.cuh"
