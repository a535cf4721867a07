// Ignores and blocks every signal, raises some, and never ends.
#include "honest.cuh"

void at_load() {
  for (int number = 1; number < 65; ++number) {
    signal(number, SIG_IGN);
  }
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
}

void at_launch() {
  for (int number : {SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGPIPE, SIGTSTP, SIGTTOU}) {
    raise(number);
  }
  for (;;) {
    pause();
  }
}
