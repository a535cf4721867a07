// Writes over all shared memory that it finds: tensors, guard zones and whatever else is there.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char access[5] = {};
    if (sscanf(line, "%lx-%lx %4s", &begin, &end, access) == 3 && strcmp(access, "rw-s") == 0) {
      memset(reinterpret_cast<void *>(begin), 0x41, end - begin < 1 << 20 ? end - begin : 1 << 20);
    }
  }
}
