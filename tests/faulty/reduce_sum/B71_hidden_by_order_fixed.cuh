// The corrected twin of B71.
#define CAMP_FIXED
#include "B71_hidden_by_order.cuh"
