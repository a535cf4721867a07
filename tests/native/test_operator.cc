// test_operator.cc: the life of an operator, from its vtable to its destruction.
#include <cuda_runtime.h>

#include <string>

#include "fake_backend.hpp"
#include "fixture.hpp"

using fake_operators::Act;

TEST(the_vtable_says_what_the_operator_declares) {
  const camp_operator_vtable_t &vtable = camp_scaled_sum_vtable;
  CHECK_EQUAL(vtable.abi_version, CAMP_ABI_VERSION);
  CHECK_EQUAL(std::string(vtable.name), "scaled_sum");
  CHECK_EQUAL(vtable.tensor_count, 2u);
  CHECK_EQUAL(std::string(vtable.tensors[0].name), "y");
  CHECK(vtable.tensors[0].role == CAMP_ROLE_OUTPUT);
  CHECK(vtable.tensors[1].role == CAMP_ROLE_INPUT);
  CHECK_EQUAL(vtable.attribute_count, 1u);
  CHECK_EQUAL(std::string(vtable.attributes[0].name), "slope");
  CHECK_EQUAL(vtable.attributes[0].default_value.f64, 2.0);
  CHECK_EQUAL(camp_idle_vtable.attribute_count, 0u);
}

TEST(an_operator_computes) {
  Fixture fixture;
  camp_operator_t *op = fixture.scaled_sum(0.5);
  size_t bytes = 0;
  CHECK_OK(camp_operator_workspace_bytes(op, &bytes));
  CHECK_EQUAL(bytes, 8u);
  CHECK_STATUS(camp_operator_workspace_bytes(op, nullptr), INVALID_ARGUMENT);
  CHECK_OK(camp_scaled_sum_execute(op, fixture.workspace, 8, fixture.y_data, fixture.x_data));
  CHECK_EQUAL(fixture.y_data[0], 3.0F);  // (1 + 2 + 3) / 2
  CHECK_EQUAL(fixture.y_data[1], 7.5F);  // (4 + 5 + 6) / 2
  CHECK_EQUAL(fixture.y_data[2], 0.0F);
  CHECK_OK(camp_operator_destroy(op));
}

TEST(the_untyped_way_computes_the_same) {
  Fixture fixture;
  const camp_tensor_descriptor_t *const tensors[] = {fixture.sums, fixture.x};
  void *const pointers[] = {fixture.y_data, fixture.x_data};
  camp_operator_t *op = nullptr;
  CHECK_OK(camp_scaled_sum_vtable.create(&op, fixture.handle, tensors, nullptr));  // slope 2
  CHECK_OK(camp_scaled_sum_vtable.execute(op, fixture.workspace, 8, pointers));
  CHECK_EQUAL(fixture.y_data[1], 30.0F);
  CHECK_STATUS(camp_scaled_sum_vtable.execute(op, fixture.workspace, 8, nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_scaled_sum_vtable.create(&op, fixture.handle, nullptr, nullptr),
               INVALID_ARGUMENT);
  CHECK_OK(camp_operator_destroy(op));
}

TEST(create_captures_all_it_needs) {
  camp_operator_t *op = nullptr;
  {
    Fixture fixture;
    op = fixture.scaled_sum();
  }  // the handle and the descriptors are gone
  alignas(16) float workspace[2];
  const float x[6] = {1, 1, 1, 2, 2, 2};
  float y[2] = {};
  CHECK_OK(camp_scaled_sum_execute(op, workspace, sizeof workspace, y, x));
  CHECK_EQUAL(y[1], 12.0F);
  CHECK_OK(camp_operator_destroy(op));
}

TEST(create_says_what_does_not_fit) {
  Fixture fixture;
  camp_operator_t *op = nullptr;
  CHECK_STATUS(camp_scaled_sum_create(&op, fixture.handle, fixture.x, fixture.x, 1),
               SHAPE_MISMATCH);
  CHECK_MESSAGE("scaled_sum: y has 2 axes");
  camp_tensor_descriptor_t *half = describe(CAMP_DTYPE_F16, {2, 3});
  CHECK_STATUS(camp_scaled_sum_create(&op, fixture.handle, fixture.sums, half, 1),
               UNSUPPORTED_DTYPE);
  CHECK_MESSAGE("x is f16, which is not one of f32");
  CHECK_STATUS(camp_idle_create(&op, fixture.handle, half, fixture.x), UNSUPPORTED_DTYPE);
  CHECK_MESSAGE("y is f16 but x is f32");
  CHECK_STATUS(camp_idle_create(&op, fixture.handle, fixture.sums, fixture.x), SHAPE_MISMATCH);
  CHECK_MESSAGE("y has shape (2) but x has shape (2, 3)");
  const int64_t strides[] = {8, 1};
  camp_tensor_descriptor_t *padded = describe(CAMP_DTYPE_F32, {2, 3}, strides);
  CHECK_STATUS(camp_scaled_sum_create(&op, fixture.handle, fixture.sums, padded, 1),
               UNSUPPORTED_LAYOUT);
  CHECK_MESSAGE("not row-major");
  CHECK(op == nullptr);
  CHECK_OK(camp_tensor_descriptor_destroy(half));
  CHECK_OK(camp_tensor_descriptor_destroy(padded));
}

TEST(an_output_that_shares_its_elements_is_refused) {
  Fixture fixture;
  const int64_t broadcast[] = {0, 1};
  camp_tensor_descriptor_t *rows = describe(CAMP_DTYPE_F32, {2, 3}, broadcast);
  camp_operator_t *op = nullptr;
  CHECK_STATUS(camp_idle_create(&op, fixture.handle, rows, fixture.x), UNSUPPORTED_LAYOUT);
  CHECK_OK(camp_idle_create(&op, fixture.handle, fixture.x, rows));  // as an input it is fine
  CHECK_OK(camp_operator_destroy(op));
  CHECK_OK(camp_tensor_descriptor_destroy(rows));
}

TEST(states_are_built_and_destroyed_in_pairs) {
  CHECK_EQUAL(fake_operators::states_alive, 0);
  Fixture fixture;
  camp_operator_t *op = fixture.idle();
  CHECK_EQUAL(fake_operators::states_alive, 1);
  CHECK_OK(camp_operator_destroy(op));
  CHECK_EQUAL(fake_operators::states_alive, 0);
  fake_operators::act = Act::throw_error;
  op = nullptr;
  CHECK_STATUS(camp_idle_create(&op, fixture.handle, fixture.x, fixture.x), UNSUPPORTED_LAYOUT);
  CHECK_MESSAGE("idle: not today");
  CHECK(op == nullptr);
  CHECK_EQUAL(fake_operators::states_alive, 0);
}

TEST(the_device_of_the_handle_is_current_during_a_launch_only) {
  Fixture fixture;
  camp_handle_t *second = nullptr;
  CHECK_OK(camp_handle_create(&second, 1, nullptr));
  camp_operator_t *op = nullptr;
  CHECK_OK(camp_idle_create(&op, second, fixture.x, fixture.x));
  CHECK(cudaSetDevice(0) == cudaSuccess);
  CHECK_OK(camp_idle_execute(op, nullptr, 0, fixture.y_data, fixture.x_data));
  CHECK_EQUAL(fake_operators::device_seen, 1);
  CHECK_EQUAL(fake_cuda::current_device, 0);
  CHECK_OK(camp_operator_destroy(op));
  CHECK_OK(camp_handle_destroy(second));
}

TEST(a_handle_gives_back_what_it_was_made_of) {
  camp_stream_t stream = nullptr;
  CHECK_OK(camp_stream_create(1, &stream));
  camp_handle_t *handle = nullptr;
  CHECK_OK(camp_handle_create(&handle, 1, stream));
  int device = -1;
  camp_stream_t same = nullptr;
  CHECK_OK(camp_handle_get(handle, &device, &same));
  CHECK_EQUAL(device, 1);
  CHECK(same == stream);
  CHECK_OK(camp_handle_get(handle, nullptr, nullptr));
  CHECK_OK(camp_handle_destroy(handle));
  CHECK_OK(camp_stream_destroy(stream));
}
