// Stops its own process.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  raise(SIGSTOP);
}
