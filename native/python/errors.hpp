// errors.hpp: the two C++ exceptions of the bindings. errors.cpp turns them into camp.errors.
#pragma once

#include <stdexcept>
#include <string>

#include "operator_runtime/status.h"

namespace camp::python {

// A call of the C runtime failed, or the bindings refused it with the status the runtime would use.
class StatusError : public std::runtime_error {
 public:
  StatusError(camp_status_t status, const std::string &message)
      : std::runtime_error(message), status_(status) {}
  camp_status_t status() const { return status_; }

 private:
  camp_status_t status_;
};

// A shared library cannot be loaded or was built for something else.
class LoadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline StatusError invalid_argument(const std::string &message) {
  return StatusError(CAMP_STATUS_INVALID_ARGUMENT, message);
}

void register_error_translator();

}  // namespace camp::python
