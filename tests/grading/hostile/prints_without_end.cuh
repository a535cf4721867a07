// Prints 64 MiB, with sequences that would clear a terminal.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  for (int i = 0; i < 1 << 20; ++i) {
    printf("\x1b[2J\x1b]0;owned\x07 line %d of a flood that fills the screen\n", i);
  }
}
