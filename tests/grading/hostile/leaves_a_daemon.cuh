// Leaves an orphan in a session of its own behind and is right otherwise.
#include "honest.cuh"

void at_load() {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) {
      sleep(600);
    }
    _exit(0);
  }
}

void at_launch() {}
