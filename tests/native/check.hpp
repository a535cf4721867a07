// check.hpp: tests and checks in a few lines; checks count, and stay on in every build.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "operator_runtime.h"

namespace check {

struct Test {
  const char *name;
  void (*run)();
};

inline std::vector<Test> &tests() {
  static std::vector<Test> all;
  return all;
}
inline std::atomic<int> passed{0};
inline std::atomic<int> failed{0};

struct Register {
  Register(const char *name, void (*run)()) { tests().push_back({name, run}); }
};

inline void verify(bool held, const std::string &what, const char *file, int line) {
  if (held) {
    ++passed;
    return;
  }
  ++failed;
  std::printf("%s:%d: failed: %s\n", file, line, what.c_str());
}

template <typename A, typename B>
void equal(const A &actual, const B &expected, const char *what, const char *file, int line) {
  std::ostringstream text;
  text << what << ": got " << actual << ", expected " << expected;
  verify(actual == expected, text.str(), file, line);
}

inline void status(camp_status_t actual, camp_status_t expected, const char *what, const char *file,
                   int line) {
  const std::string message = camp_last_error_message();
  verify(actual == expected,
         std::string(what) + ": got " + camp_status_name(actual) + " (" + message + "), expected " +
             camp_status_name(expected),
         file, line);
}

inline void message(const char *part, const char *file, int line) {
  verify(std::strstr(camp_last_error_message(), part) != nullptr,
         std::string("\"") + camp_last_error_message() + "\" has no \"" + part + "\"", file, line);
}

// Runs every test of the program; the exit status is 1 unless all held and some ran.
inline int run_all() {
  for (const Test &test : tests()) {
    const int before = failed;
    test.run();
    std::printf("%s %s\n", failed == before ? "ok  " : "FAIL", test.name);
  }
  std::printf("%zu tests, %d checks, %d failed\n", tests().size(), passed + failed, failed.load());
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                  \
  static void test_##name();                                        \
  static const check::Register register_##name{#name, test_##name}; \
  static void test_##name()

#define CHECK(condition) check::verify((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(actual, expected) check::equal(actual, expected, #actual, __FILE__, __LINE__)
// The call gives CAMP_STATUS_<name>.
#define CHECK_STATUS(call, name) check::status(call, CAMP_STATUS_##name, #call, __FILE__, __LINE__)
#define CHECK_OK(call) CHECK_STATUS(call, SUCCESS)
// The last error message has this part.
#define CHECK_MESSAGE(part) check::message(part, __FILE__, __LINE__)
