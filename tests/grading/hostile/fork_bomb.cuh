// Starts processes that start processes, in sessions of their own.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  for (int i = 0; i < 8; ++i) {
    if (fork() == 0) {
      setsid();
      for (int k = 0; k < 8; ++k) {
        if (fork() == 0) {
          setsid();
          break;
        }
      }
      sleep(600);
      _exit(0);
    }
  }
  sleep(600);
}
