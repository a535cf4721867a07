// Shows what it can learn of its surroundings.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  for (const char *path : {"/proc/self/environ", "/proc/self/cmdline"}) {
    static char text[4096];
    const int fd = open(path, O_RDONLY);
    const ssize_t got = read(fd, text, sizeof text - 1);
    for (ssize_t i = 0; i < got; ++i) {
      putchar(text[i] == 0 ? 10 : text[i]);
    }
    close(fd);
  }
}
