// Throws when it is loaded.
#include "honest.cuh"

void at_load() {
  throw 42;
}

void at_launch() {}
