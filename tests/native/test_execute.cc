// test_execute.cc: what execute checks, what it tells the backend, and how launches fail.
#include <cuda_runtime.h>

#include <string>

#include "fake_backend.hpp"
#include "fixture.hpp"

using fake_backend::seen;
using fake_operators::Act;

namespace {

camp_status_t run_idle(Fixture &fixture, Act act) {
  camp_operator_t *op = fixture.idle();
  fake_operators::act = act;
  const camp_status_t status = camp_idle_execute(op, nullptr, 0, fixture.y_data, fixture.x_data);
  fake_operators::act = Act::nothing;
  CHECK_OK(camp_operator_destroy(op));
  return status;
}

}  // namespace

TEST(the_backend_gets_exact_bounds) {
  Fixture fixture;
  camp_operator_t *op = fixture.scaled_sum();
  seen = {};
  alignas(16) float workspace[100];
  CHECK_OK(
      camp_scaled_sum_execute(op, workspace, sizeof workspace, fixture.y_data, fixture.x_data));
  CHECK_EQUAL(std::string(seen.operator_name), "scaled_sum");
  CHECK_EQUAL(seen.begins, 1);
  CHECK_EQUAL(seen.finishes, 1);
  CHECK_EQUAL(seen.bindings.size(), 3u);
  const auto &[y, x, scratch] =
      *reinterpret_cast<camp::backend::Binding(*)[3]>(seen.bindings.data());
  CHECK_EQUAL(std::string(y.name), "y");
  CHECK(y.pointer == fixture.y_data && y.writable);
  CHECK_EQUAL(y.bytes, 8u);
  CHECK_EQUAL(std::string(x.name), "x");
  CHECK(x.pointer == fixture.x_data && !x.writable);
  CHECK_EQUAL(x.bytes, 24u);
  CHECK_EQUAL(x.element_bytes, 4u);
  CHECK_EQUAL(std::string(scratch.name), "workspace");
  CHECK(scratch.pointer == workspace && scratch.writable && scratch.kept);
  CHECK(!y.kept && !x.kept);
  CHECK_EQUAL(scratch.bytes, 8u);  // what was asked for, not what was given
  CHECK_OK(camp_operator_destroy(op));
}

TEST(a_failed_execute_zeroes_the_workspace) {
  Fixture fixture;
  camp_operator_t *op = fixture.scaled_sum();
  float *workspace = fixture.workspace;
  seen = {};
  CHECK_OK(camp_scaled_sum_execute(op, workspace, 8, fixture.y_data, fixture.x_data));
  CHECK_EQUAL(seen.clears, 0);
  CHECK(workspace[0] != 0.0f);  // what the operator leaves there is its own
  fake_backend::answer = CAMP_STATUS_KERNEL_FAULT;
  CHECK_STATUS(camp_scaled_sum_execute(op, workspace, 8, fixture.y_data, fixture.x_data),
               KERNEL_FAULT);
  fake_backend::answer = CAMP_STATUS_SUCCESS;
  CHECK_MESSAGE("the backend saw a fault");
  CHECK_EQUAL(seen.clears, 1);
  CHECK(workspace[0] == 0.0f && workspace[1] == 0.0f);
  CHECK_STATUS(camp_scaled_sum_execute(op, workspace, 7, fixture.y_data, fixture.x_data),
               WORKSPACE_TOO_SMALL);
  CHECK_EQUAL(seen.clears, 1);  // nothing was launched
  CHECK_OK(camp_operator_destroy(op));
}

TEST(a_short_workspace_is_refused) {
  Fixture fixture;
  camp_operator_t *op = fixture.scaled_sum();
  seen = {};
  float *y = fixture.y_data;
  CHECK_STATUS(camp_scaled_sum_execute(op, fixture.workspace, 7, y, fixture.x_data),
               WORKSPACE_TOO_SMALL);
  CHECK_MESSAGE("7 bytes of the 8 needed");
  CHECK_STATUS(camp_scaled_sum_execute(op, nullptr, 0, y, fixture.x_data), WORKSPACE_TOO_SMALL);
  CHECK_STATUS(camp_scaled_sum_execute(op, nullptr, 8, y, fixture.x_data), INVALID_ARGUMENT);
  char *skewed = reinterpret_cast<char *>(fixture.workspace) + 4;
  CHECK_STATUS(camp_scaled_sum_execute(op, skewed, 8, y, fixture.x_data), INVALID_ARGUMENT);
  CHECK_EQUAL(seen.begins, 0);
  CHECK_OK(camp_operator_destroy(op));
}

TEST(wrong_pointers_are_refused) {
  Fixture fixture;
  camp_operator_t *op = fixture.idle();
  seen = {};
  char *skewed = reinterpret_cast<char *>(fixture.y_data) + 2;
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, nullptr, fixture.x_data), INVALID_ARGUMENT);
  CHECK_MESSAGE("idle: the pointer of y is NULL");
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, fixture.y_data, nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, skewed, fixture.x_data), INVALID_ARGUMENT);
  CHECK_MESSAGE("not aligned");
  void *last = reinterpret_cast<void *>(UINTPTR_MAX - 3);
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, last, fixture.x_data), INVALID_ARGUMENT);
  CHECK_EQUAL(seen.begins, 0);
  CHECK_OK(camp_operator_destroy(op));
}

TEST(an_object_is_no_memory) {
  Fixture fixture;
  camp_tensor_descriptor_t *bytes = describe(CAMP_DTYPE_U8, {4});
  camp_operator_t *op = nullptr;
  CHECK_OK(camp_idle_create(&op, fixture.handle, bytes, bytes));
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, fixture.y_data, op), INVALID_ARGUMENT);
  CHECK_OK(camp_operator_destroy(op));
  CHECK_OK(camp_tensor_descriptor_destroy(bytes));
}

TEST(empty_tensors_need_no_memory) {
  Fixture fixture;
  camp_tensor_descriptor_t *empty = describe(CAMP_DTYPE_F32, {0, 3});
  camp_operator_t *op = nullptr;
  CHECK_OK(camp_idle_create(&op, fixture.handle, empty, empty));
  seen = {};
  CHECK_OK(camp_idle_execute(op, nullptr, 0, nullptr, nullptr));
  CHECK_OK(camp_idle_execute(op, nullptr, 0, fixture.y_data, fixture.y_data));
  CHECK_EQUAL(seen.begins, 2);  // the launch is the kernel file's to skip
  CHECK_OK(camp_operator_destroy(op));
  CHECK_OK(camp_tensor_descriptor_destroy(empty));
}

TEST(an_output_that_is_an_input_is_refused) {
  Fixture fixture;
  float data[12] = {};
  camp_operator_t *op = fixture.idle();
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, data, data), INVALID_ARGUMENT);
  CHECK_MESSAGE("idle: y and x share memory");
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, data + 5, data), INVALID_ARGUMENT);
  CHECK_OK(camp_idle_execute(op, nullptr, 0, data + 6, data));
  CHECK_OK(camp_idle_execute(op, nullptr, 0, data, data + 6));
  CHECK_OK(camp_operator_destroy(op));

  op = fixture.scaled_sum();
  float *workspace = fixture.workspace;
  CHECK_STATUS(camp_scaled_sum_execute(op, workspace, 8, workspace, fixture.x_data),
               INVALID_ARGUMENT);
  CHECK_MESSAGE("share memory");
  CHECK_OK(camp_operator_destroy(op));
}

TEST(interleaved_views_share_nothing) {
  Fixture fixture;
  const int64_t every_second[] = {2};
  camp_tensor_descriptor_t *view = describe(CAMP_DTYPE_F32, {3}, every_second);
  camp_operator_t *op = nullptr;
  CHECK_OK(camp_idle_create(&op, fixture.handle, view, view));
  CHECK_OK(camp_idle_execute(op, nullptr, 0, fixture.x_data, fixture.x_data + 1));
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, fixture.x_data, fixture.x_data), INVALID_ARGUMENT);
  CHECK_OK(camp_operator_destroy(op));
  CHECK_OK(camp_tensor_descriptor_destroy(view));
}

TEST(an_operator_may_declare_that_it_works_in_place) {
  Fixture fixture;
  const camp_tensor_descriptor_t *const tensors[] = {fixture.x, fixture.x};
  void *const pointers[] = {fixture.x_data, fixture.x_data};
  camp_operator_t *op = nullptr;
  CHECK_OK(camp_in_place_vtable.create(&op, fixture.handle, tensors, nullptr));
  CHECK_OK(camp_in_place_vtable.execute(op, nullptr, 0, pointers));
  CHECK_OK(camp_operator_destroy(op));
}

TEST(an_operator_is_executed_as_what_it_is) {
  Fixture fixture;
  camp_operator_t *op = fixture.idle();
  seen = {};
  CHECK_STATUS(camp_scaled_sum_execute(op, fixture.workspace, 8, fixture.y_data, fixture.x_data),
               INVALID_OBJECT);
  CHECK_MESSAGE("scaled_sum: the operator was created as idle");
  CHECK_EQUAL(seen.begins, 0);
  CHECK_OK(camp_operator_destroy(op));
}

TEST(no_exception_leaves_a_launch) {
  Fixture fixture;
  CHECK_STATUS(run_idle(fixture, Act::throw_error), DEVICE_ERROR);
  CHECK_MESSAGE("idle: thrown in launch");
  CHECK_STATUS(run_idle(fixture, Act::throw_standard), INTERNAL);
  CHECK_MESSAGE("idle: a standard exception");
  CHECK_STATUS(run_idle(fixture, Act::throw_number), INTERNAL);
  CHECK_EQUAL(seen.begins, seen.finishes);
}

TEST(a_refused_launch_is_found_without_the_backend) {
  Fixture fixture;
  CHECK_STATUS(run_idle(fixture, Act::refuse_launch), LAUNCH_FAILED);
  CHECK_MESSAGE("idle: the device refused the launch: invalid configuration argument");
  CHECK_MESSAGE("(cudaErrorInvalidConfiguration)");
}

TEST(an_error_left_by_others_is_not_this_launch) {
  Fixture fixture;
  fake_cuda::last_error = cudaErrorInvalidValue;
  CHECK_OK(run_idle(fixture, Act::nothing));
}

TEST(memory_that_ran_out_is_no_refused_launch) {
  Fixture fixture;
  CHECK_STATUS(run_idle(fixture, Act::exhaust), OUT_OF_MEMORY);
  CHECK_OK(run_idle(fixture, Act::nothing));
}

TEST(a_fault_is_no_refused_launch) {
  Fixture fixture;
  CHECK_STATUS(run_idle(fixture, Act::fault), KERNEL_FAULT);
  CHECK_MESSAGE("idle: this or an earlier kernel faulted");
  CHECK_MESSAGE("an illegal memory access was encountered");
  fake_cuda::sticky = 0;
  (void)cudaGetLastError();
}

TEST(a_lost_device_launches_nothing) {
  Fixture fixture;
  camp_operator_t *op = fixture.idle();
  fake_operators::device_seen = -1;
  fake_cuda::sticky = cudaErrorIllegalAddress;
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, fixture.y_data, fixture.x_data), KERNEL_FAULT);
  fake_cuda::sticky = cudaErrorUnknown;
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, fixture.y_data, fixture.x_data), DEVICE_ERROR);
  CHECK_EQUAL(fake_operators::device_seen, -1);
  camp_operator_t *none = nullptr;
  CHECK_STATUS(camp_idle_create(&none, fixture.handle, fixture.x, fixture.x), DEVICE_ERROR);
  fake_cuda::sticky = 0;
  (void)cudaGetLastError();
  CHECK_OK(camp_operator_destroy(op));
}

TEST(the_backend_knows_best) {
  Fixture fixture;
  fake_backend::answer = CAMP_STATUS_KERNEL_FAULT;
  CHECK_STATUS(run_idle(fixture, Act::refuse_launch), KERNEL_FAULT);
  CHECK_MESSAGE("the backend saw a fault");
  CHECK_STATUS(run_idle(fixture, Act::throw_error), KERNEL_FAULT);
  fake_backend::answer = CAMP_STATUS_SUCCESS;
  CHECK_OK(run_idle(fixture, Act::nothing));
}
