// faults.cuh: choosing one kernel of a program of faults by its name.
#pragma once

#include <cstring>

#include "check.cuh"

struct Selection {
  const char *name;
  bool good;
  Selection(int argc, char **argv) {
    if (argc != 3) {
      std::printf("usage: program NAME bad|good\n");
      std::exit(2);
    }
    name = argv[1];
    good = std::strcmp(argv[2], "good") == 0;
    camp_sim_options_t options = {};
    options.time_limit_ms = 500;
    options.poison = 0xff;
    camp_sim_configure(&options);
  }
  bool is(const char *wanted) const { return std::strcmp(name, wanted) == 0; }
  int finish() const { return ::finish(name); }
};
