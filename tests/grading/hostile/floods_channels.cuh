// Writes without end to every descriptor that takes it.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  static char flood[1 << 16];
  memset(flood, 0x58, sizeof flood);
  for (int turn = 0; turn < 1 << 20; ++turn) {
    for (int fd = 3; fd < 64; ++fd) {
      (void)!write(fd, flood, sizeof flood);
    }
  }
}
