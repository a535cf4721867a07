// fake_backend.hpp: what the runtime told the backend, and what the backend shall answer.
#pragma once

#include <vector>

#include "backend.hpp"

namespace fake_backend {

struct Seen {
  const char *operator_name = nullptr;
  std::vector<camp::backend::Binding> bindings;
  int begins = 0;
  int finishes = 0;
  int clears = 0;  // workspaces zeroed
};

extern Seen seen;
extern bool record;           // off where several threads execute at once
extern camp_status_t answer;  // of the next finishes

}  // namespace fake_backend
