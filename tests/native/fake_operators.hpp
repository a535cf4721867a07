// fake_operators.hpp: operators without kernels, defined as real ones are.
#pragma once

#include "operator_runtime.h"

// y[rows] = slope * sum of x[rows, cols]; f32; a workspace of 4 * rows bytes, which it fills.
CAMP_API const camp_operator_vtable_t camp_scaled_sum_vtable;
CAMP_API camp_status_t camp_scaled_sum_create(camp_operator_t **op, const camp_handle_t *handle,
                                              const camp_tensor_descriptor_t *y,
                                              const camp_tensor_descriptor_t *x, double slope);
CAMP_API camp_status_t camp_scaled_sum_execute(const camp_operator_t *op, void *workspace,
                                               size_t workspace_bytes, void *y, const void *x);

// Does nothing to y and x, of any layout; `act` is what its launch does besides.
CAMP_API const camp_operator_vtable_t camp_idle_vtable;
CAMP_API camp_status_t camp_idle_create(camp_operator_t **op, const camp_handle_t *handle,
                                        const camp_tensor_descriptor_t *y,
                                        const camp_tensor_descriptor_t *x);
CAMP_API camp_status_t camp_idle_execute(const camp_operator_t *op, void *workspace,
                                         size_t workspace_bytes, void *y, const void *x);

// As idle, but its output may be the memory of its input.
CAMP_API const camp_operator_vtable_t camp_in_place_vtable;

namespace fake_operators {

enum class Act {
  nothing,
  throw_error,
  throw_standard,
  throw_number,
  refuse_launch,
  exhaust,
  fault,
  allocate,
  wait
};
extern Act act;
extern int device_seen;   // current at the last launch of idle
extern int states_alive;  // of idle

}  // namespace fake_operators
