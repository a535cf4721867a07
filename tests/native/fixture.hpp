// fixture.hpp: a handle, two descriptors and memory for them, released when a test ends.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "check.hpp"
#include "fake_operators.hpp"

// A descriptor, contiguous unless strides are given.
inline camp_tensor_descriptor_t *describe(camp_dtype_t dtype, std::initializer_list<int64_t> shape,
                                          const int64_t *strides = nullptr) {
  camp_tensor_descriptor_t *descriptor = nullptr;
  CHECK_OK(camp_tensor_descriptor_create(&descriptor, dtype, shape.size(), shape.begin(), strides));
  return descriptor;
}

struct Fixture {
  camp_handle_t *handle = nullptr;
  camp_tensor_descriptor_t *x = describe(CAMP_DTYPE_F32, {2, 3});
  camp_tensor_descriptor_t *sums = describe(CAMP_DTYPE_F32, {2});
  alignas(16) float workspace[2] = {};
  float x_data[6] = {1, 2, 3, 4, 5, 6};
  float y_data[6] = {};

  Fixture() {
    fake_operators::act = fake_operators::Act::nothing;
    CHECK_OK(camp_handle_create(&handle, 0, nullptr));
  }
  ~Fixture() {
    CHECK_OK(camp_handle_destroy(handle));
    CHECK_OK(camp_tensor_descriptor_destroy(x));
    CHECK_OK(camp_tensor_descriptor_destroy(sums));
  }
  Fixture(const Fixture &) = delete;
  Fixture &operator=(const Fixture &) = delete;

  camp_operator_t *idle() const {
    camp_operator_t *op = nullptr;
    CHECK_OK(camp_idle_create(&op, handle, x, x));
    return op;
  }
  camp_operator_t *scaled_sum(double slope = 2.0) const {
    camp_operator_t *op = nullptr;
    CHECK_OK(camp_scaled_sum_create(&op, handle, sums, x, slope));
    return op;
  }
};
