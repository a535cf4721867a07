// Takes memory until there is none.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  for (;;) {
    char *more = static_cast<char *>(malloc(256 << 20));
    if (more == nullptr) abort();
    memset(more, 1, 256 << 20);
  }
}
