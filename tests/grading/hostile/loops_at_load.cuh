// Never ends loading.
#include "honest.cuh"

void at_load() {
  for (volatile int i = 0;; i = i + 1) {
  }
}

void at_launch() {}
