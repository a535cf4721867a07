// Starts threads that never end and go on when the launch is over.
#include "honest.cuh"

static void *spin(void *) {
  for (volatile int i = 0;; i = i + 1) {
  }
}

void at_load() {}

void at_launch() {
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, spin, nullptr) == 0) pthread_detach(thread);
  }
}
