// test_status.cc: status names, the thread-local message, dtypes.
#include <string>
#include <thread>

#include "check.hpp"
#include "foreign.h"

#include "operator_runtime/extension.hpp"

TEST(abi_version_is_that_of_the_headers) {
  CHECK_EQUAL(camp_abi_version(), CAMP_ABI_VERSION);
}

TEST(every_status_has_its_name) {
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_SUCCESS)), "SUCCESS");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_INVALID_ARGUMENT)), "INVALID_ARGUMENT");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_INVALID_OBJECT)), "INVALID_OBJECT");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_UNSUPPORTED_DTYPE)), "UNSUPPORTED_DTYPE");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_SHAPE_MISMATCH)), "SHAPE_MISMATCH");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_UNSUPPORTED_LAYOUT)), "UNSUPPORTED_LAYOUT");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_OVERFLOW)), "OVERFLOW");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_WORKSPACE_TOO_SMALL)),
              "WORKSPACE_TOO_SMALL");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_OUT_OF_MEMORY)), "OUT_OF_MEMORY");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_NO_DEVICE)), "NO_DEVICE");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_LAUNCH_FAILED)), "LAUNCH_FAILED");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_KERNEL_FAULT)), "KERNEL_FAULT");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_DEVICE_ERROR)), "DEVICE_ERROR");
  CHECK_EQUAL(std::string(camp_status_name(CAMP_STATUS_INTERNAL)), "INTERNAL");
}

TEST(a_value_that_is_no_status_or_dtype_is_named_so) {
  for (const int value : {-1, 14, 99, 1 << 30}) {
    CHECK_EQUAL(std::string(foreign_status_name(value)), "UNKNOWN");
    CHECK_EQUAL(std::string(foreign_dtype_name(value)), "?");
    CHECK_EQUAL(foreign_dtype_bytes(value), 0u);
  }
}

TEST(dtypes_have_their_sizes) {
  const struct {
    camp_dtype_t dtype;
    const char *name;
    size_t bytes;
  } expected[] = {{CAMP_DTYPE_F32, "f32", 4},   {CAMP_DTYPE_F16, "f16", 2},
                  {CAMP_DTYPE_BF16, "bf16", 2}, {CAMP_DTYPE_F64, "f64", 8},
                  {CAMP_DTYPE_I32, "i32", 4},   {CAMP_DTYPE_I64, "i64", 8},
                  {CAMP_DTYPE_U8, "u8", 1}};
  for (const auto &row : expected) {
    CHECK_EQUAL(std::string(camp_dtype_name(row.dtype)), row.name);
    CHECK_EQUAL(camp_dtype_bytes(row.dtype), row.bytes);
  }
}

TEST(the_message_belongs_to_its_thread) {
  CHECK_STATUS(camp_handle_destroy(nullptr), INVALID_ARGUMENT);
  const std::string mine = camp_last_error_message();
  CHECK(!mine.empty());
  std::thread other([] {
    CHECK_EQUAL(std::string(camp_last_error_message()), "");
    camp::fail(CAMP_STATUS_INTERNAL, "of the other thread");
    CHECK_EQUAL(std::string(camp_last_error_message()), "of the other thread");
  });
  other.join();
  CHECK_EQUAL(std::string(camp_last_error_message()), mine);
}

TEST(a_thread_that_ends_may_still_fail) {
  // Destroyed after the runtime's own thread-local state, which is younger.
  struct Late {
    ~Late() {
      CHECK_STATUS(camp_handle_destroy(nullptr), INVALID_ARGUMENT);
      CHECK_EQUAL(std::string(camp_last_error_message()), "");
    }
  };
  const int before = check::passed;
  std::thread([] {
    thread_local const Late late;
    (void)late;
    CHECK_STATUS(camp_handle_destroy(nullptr), INVALID_ARGUMENT);
    CHECK(std::strlen(camp_last_error_message()) > 0);
  }).join();
  CHECK_EQUAL(check::passed - before, 4);
}

TEST(a_success_leaves_the_message) {
  CHECK_STATUS(camp_handle_destroy(nullptr), INVALID_ARGUMENT);
  const std::string message = camp_last_error_message();
  int count = 0;
  CHECK_OK(camp_device_count(&count));
  CHECK_EQUAL(std::string(camp_last_error_message()), message);
}

TEST(a_long_message_is_cut_and_may_quote_itself) {
  const std::string text(5000, 'a');
  CHECK_STATUS(camp::fail(CAMP_STATUS_INTERNAL, "%s", text.c_str()), INTERNAL);
  const size_t length = std::strlen(camp_last_error_message());
  CHECK(length > 100 && length < text.size());
  camp::fail(CAMP_STATUS_INTERNAL, "short");
  camp::fail(CAMP_STATUS_INTERNAL, "outer: %s", camp_last_error_message());
  CHECK_EQUAL(std::string(camp_last_error_message()), "outer: short");
}

TEST(an_error_carries_status_and_text) {
  try {
    camp::throw_error(CAMP_STATUS_OVERFLOW, "%d is too many", 7);
    CHECK(false);
  } catch (const camp::Error &error) {
    CHECK_STATUS(error.status(), OVERFLOW);
    CHECK_EQUAL(std::string(error.what()), "7 is too many");
    const camp::Error copy = error;
    CHECK_EQUAL(std::string(copy.what()), "7 is too many");
  }
  const camp::Error cut(CAMP_STATUS_INTERNAL, std::string(5000, 'b').c_str());
  CHECK(std::strlen(cut.what()) < 5000);
}

TEST(the_boundary_turns_exceptions_into_statuses) {
  const auto standard = []() -> camp_status_t { throw std::bad_alloc(); };
  CHECK_STATUS(camp::guarded(standard), OUT_OF_MEMORY);
  const auto number = []() -> camp_status_t { throw 3; };
  CHECK_STATUS(camp::guarded(number), INTERNAL);
  CHECK_MESSAGE("unknown");
}
