// Two processes go on from here, and both will answer.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  (void)!fork();
}
