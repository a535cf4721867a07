// fake_backend.cc: a backend that records.
#include "fake_backend.hpp"

#include <cstring>

#include "operator_runtime/extension.hpp"

namespace fake_backend {

Seen seen;
bool record = true;
camp_status_t answer = CAMP_STATUS_SUCCESS;

}  // namespace fake_backend

namespace camp::backend {

void begin(const char *operator_name, const Binding *bindings, size_t count) {
  if (!fake_backend::record) return;
  fake_backend::seen.operator_name = operator_name;
  fake_backend::seen.bindings.assign(bindings, bindings + count);
  fake_backend::seen.begins++;
}

camp_status_t finish() {
  if (!fake_backend::record) return CAMP_STATUS_SUCCESS;
  fake_backend::seen.finishes++;
  if (fake_backend::answer == CAMP_STATUS_SUCCESS) return CAMP_STATUS_SUCCESS;
  return fail(fake_backend::answer, "the backend saw a fault");
}

void clear(void *workspace, size_t bytes, camp_stream_t) {
  std::memset(workspace, 0, bytes);
  if (fake_backend::record) fake_backend::seen.clears++;
}

}  // namespace camp::backend
