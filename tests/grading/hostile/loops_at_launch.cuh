// Never ends the launcher.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  for (volatile int i = 0;; i = i + 1) {
  }
}
