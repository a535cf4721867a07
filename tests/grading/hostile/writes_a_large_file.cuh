// Fills the disk.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  const int fd = open("/tmp/camp-hostile-file", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  static char block[1 << 16];
  for (int i = 0; i < 1024 && write(fd, block, sizeof block) > 0; ++i) {
  }
  struct stat is;
  fstat(fd, &is);
  printf("bytes: %lld\n", static_cast<long long>(is.st_size));
  unlink("/tmp/camp-hostile-file");
}
