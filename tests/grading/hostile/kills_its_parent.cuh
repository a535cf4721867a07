// Kills the process that watches over it.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  kill(getppid(), SIGKILL);
  sleep(60);
}
