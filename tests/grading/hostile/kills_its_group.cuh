// Kills its process group.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  kill(0, SIGKILL);
}
