// Reads a wild pointer in host code.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  (void)*reinterpret_cast<volatile int *>(uintptr_t{1} << 44);
}
