// Writes to the terminal behind the redirections.
#include "honest.cuh"

void at_load() {}

void at_launch() {
  const int fd = open("/dev/tty", O_WRONLY);
  printf("terminal: %d\n", fd);
  if (fd >= 0) (void)!write(fd, "\x1b[2Jowned", 9);
}
