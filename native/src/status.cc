// status.cc: status names, the thread-local message, and Camp's own exception.
#include "operator_runtime/status.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include "raw_enum.hpp"

#include "operator_runtime/extension.hpp"

namespace {

constexpr size_t message_bytes = 1024;

// The message is on the heap: thread-local storage of a library loaded late comes out of a small
// block that all such libraries share.
thread_local char *last_error = nullptr;

thread_local bool started = false;  // stays true: a thread that ends gets no second message

struct Reaper {
  ~Reaper() {
    delete[] last_error;
    last_error = nullptr;
  }
};

// This thread's message; null when there is no memory for one, or the thread is ending.
char *message_buffer() noexcept {
  if (!started) {
    last_error = new (std::nothrow) char[message_bytes]();
    if (last_error == nullptr) return nullptr;
    started = true;
    thread_local const Reaper reaper;
    (void)reaper;
  }
  return last_error;
}

constexpr const char *status_names[] = {"SUCCESS",        "INVALID_ARGUMENT",
                                        "INVALID_OBJECT", "UNSUPPORTED_DTYPE",
                                        "SHAPE_MISMATCH", "UNSUPPORTED_LAYOUT",
                                        "OVERFLOW",       "WORKSPACE_TOO_SMALL",
                                        "OUT_OF_MEMORY",  "NO_DEVICE",
                                        "LAUNCH_FAILED",  "KERNEL_FAULT",
                                        "DEVICE_ERROR",   "INTERNAL"};

}  // namespace

namespace camp {

Error::Error(camp_status_t status, const char *message) noexcept : status_(status) {
  std::snprintf(message_, sizeof message_, "%s", message);
}
Error::~Error() = default;
const char *Error::what() const noexcept {
  return message_;
}

camp_status_t fail(camp_status_t status, const char *format, ...) noexcept {
  char *const message = message_buffer();
  if (message == nullptr) return status;
  // Written aside first: an argument may be the current message.
  char text[message_bytes];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::memcpy(message, text, sizeof text);
  return status;
}

void throw_error(camp_status_t status, const char *format, ...) {
  char text[500];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  throw Error(status, text);
}

}  // namespace camp

uint32_t camp_abi_version(void) {
  return CAMP_ABI_VERSION;
}

const char *camp_status_name(camp_status_t status) {
  const int value = camp::raw(status);
  constexpr int count = static_cast<int>(sizeof status_names / sizeof *status_names);
  static_assert(count == CAMP_STATUS_INTERNAL + 1, "a status without a name");
  return value >= 0 && value < count ? status_names[value] : "UNKNOWN";
}

const char *camp_last_error_message(void) {
  return last_error == nullptr ? "" : last_error;
}
