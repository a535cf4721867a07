// The honest kernel: what the others are measured against.
#include "honest.cuh"

void at_load() {}

void at_launch() {}
