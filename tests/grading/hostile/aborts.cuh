// Aborts in the launcher.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  abort();
}
