// Recurses without end in the launcher.
#include "honest.cuh"

static int deeper(volatile int *above) {
  volatile int here[64] = {*above};
  return deeper(here) + here[1];
}

void at_load() {}

void at_launch() {
  volatile int top = 1;
  printf("%d\n", deeper(&top));
}
