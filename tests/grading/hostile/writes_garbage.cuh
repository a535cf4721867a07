// Writes rubbish to every descriptor.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  static const char garbage[] = "\x1b[2J}{ rubbish \xff\n";
  for (int fd = 3; fd < 64; ++fd) {
    (void)!write(fd, garbage, sizeof garbage - 1);
  }
}
