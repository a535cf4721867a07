// test_hot_path.cc: an execute allocates nothing, throws nothing and waits for nothing. A program
// of its own: it counts every malloc and throw of the process.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdlib>
#include <typeinfo>

#include "fake_backend.hpp"
#include "fixture.hpp"

namespace {

std::atomic<long> allocations{0};
std::atomic<long> throws{0};

struct Counts {
  long allocations;
  long throws;
  long waits;
};

Counts counts() {
  return {allocations, throws, fake_cuda::waits};
}

// What happens in 1000 of the calls, the first of which may set up what stays.
template <typename Call>
Counts during(Call call) {
  call();
  const Counts before = counts();
  for (int i = 0; i < 1000; ++i)
    call();
  const Counts after = counts();
  return {after.allocations - before.allocations, after.throws - before.throws,
          after.waits - before.waits};
}

// Counts one run of the idle operator whose launch does `act`.
Counts during_launch(fake_operators::Act act) {
  Fixture fixture;
  camp_operator_t *op = fixture.idle();
  const Counts seen = during([&] {
    fake_operators::act = act;
    (void)camp_idle_execute(op, nullptr, 0, fixture.y_data, fixture.x_data);
  });
  fake_operators::act = fake_operators::Act::nothing;
  CHECK_OK(camp_operator_destroy(op));
  return seen;
}

}  // namespace

extern "C" {

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *pointer, size_t bytes);

void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void *realloc(void *pointer, size_t bytes) {
  ++allocations;
  return __libc_realloc(pointer, bytes);
}

[[noreturn]] void __cxa_throw(void *object, std::type_info *type, void (*destroy)(void *)) {
  ++throws;
  using Throw = void (*)(void *, std::type_info *, void (*)(void *));
  reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"))(object, type, destroy);
  __builtin_unreachable();
}

}  // extern "C"

TEST(an_execute_only_launches) {
  fake_backend::record = false;
  const Counts idle = during_launch(fake_operators::Act::nothing);
  CHECK_EQUAL(idle.allocations, 0);
  CHECK_EQUAL(idle.throws, 0);
  CHECK_EQUAL(idle.waits, 0);

  Fixture fixture;
  camp_operator_t *op = fixture.scaled_sum();
  int refused = 0;
  const Counts sum = during([&] {
    refused += camp_scaled_sum_execute(op, fixture.workspace, sizeof fixture.workspace,
                                       fixture.y_data, fixture.x_data) != CAMP_STATUS_SUCCESS;
  });
  CHECK_EQUAL(refused, 0);
  CHECK_EQUAL(sum.allocations, 0);
  CHECK_EQUAL(sum.throws, 0);
  CHECK_EQUAL(sum.waits, 0);
  CHECK_OK(camp_operator_destroy(op));
  fake_backend::record = true;
}

TEST(what_an_execute_must_not_do_is_counted) {
  fake_backend::record = false;
  CHECK(during_launch(fake_operators::Act::allocate).allocations >= 1000);
  CHECK(during_launch(fake_operators::Act::wait).waits >= 1000);
  CHECK(during_launch(fake_operators::Act::throw_error).throws >= 1000);
  fake_backend::record = true;
}
