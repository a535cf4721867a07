// Never ends leaving.
#include "honest.cuh"

namespace {
struct Unloaded {
  ~Unloaded() {
    for (volatile int i = 0;; i = i + 1) {
    }
  }
} unloaded;
}  // namespace

void at_load() {}

void at_launch() {}
