// The corrected twin of B29.
#define CAMP_FIXED
#include "B29_buffer_reused_by_next_row.cuh"
