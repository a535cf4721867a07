// Throws in the launcher.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  throw 42;
}
