/* scale.c: the operator y = x * factor on f32, which fails on demand.
 *
 * create_status and execute_status: the status to return instead of working.
 * workspace_bytes: how much execute demands; it fills it with 0x5a, and scale_found tells what the
 * last execute found in the first byte.
 * meet: 1 makes execute wait until a second thread executes too, and fail after five seconds. */
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "fake.h"

#ifndef FAKE_OPERATOR_ABI_VERSION
#define FAKE_OPERATOR_ABI_VERSION CAMP_ABI_VERSION
#endif
#ifndef FAKE_FACTOR
#define FAKE_FACTOR 2.0
#endif

static atomic_int inside;
static int found = -1;

CAMP_API int scale_found(void);
int scale_found(void) {
  return found;
}

static int met(void) {
  atomic_fetch_add(&inside, 1);
  for (int wait = 0; wait < 5000; ++wait) {
    if (atomic_load(&inside) >= 2) return 1;
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  return 0;
}

static camp_status_t create(camp_operator_t **op, const camp_handle_t *handle,
                            const camp_tensor_descriptor_t *const *tensors,
                            const camp_attribute_value_t *attributes) {
  (void)handle;
  const camp_status_t status = (camp_status_t)attributes[1].i64;
  if (status != CAMP_STATUS_SUCCESS) return fake_fail(status, "create was told to fail");
  if (tensors[0]->dtype != CAMP_DTYPE_F32) {
    return fake_fail(CAMP_STATUS_UNSUPPORTED_DTYPE, "scale: y is not f32");
  }
  if (tensors[0]->elements != tensors[1]->elements) {
    return fake_fail(CAMP_STATUS_SHAPE_MISMATCH, "scale: y and x differ in size");
  }
  *op = fake_operator();
  (*op)->elements = tensors[0]->elements;
  (*op)->factor = attributes[0].f64;
  (*op)->status = (camp_status_t)attributes[2].i64;
  (*op)->workspace_bytes = (size_t)attributes[3].i64;
  (*op)->meet = attributes[4].i64 != 0;
  return CAMP_STATUS_SUCCESS;
}

static camp_status_t execute(const camp_operator_t *op, void *workspace, size_t workspace_bytes,
                             void *const *pointers) {
  if (op->status != CAMP_STATUS_SUCCESS) return fake_fail(op->status, "execute was told to fail");
  if (op->meet && !met()) return fake_fail(CAMP_STATUS_DEVICE_ERROR, "nobody came");
  if (workspace_bytes < op->workspace_bytes) {
    return fake_fail(CAMP_STATUS_WORKSPACE_TOO_SMALL, "scale: the workspace is too small");
  }
  if (op->workspace_bytes != 0) {
    found = *(const unsigned char *)workspace;
    memset(workspace, 0x5a, op->workspace_bytes);
  }
  float *y = pointers[0];
  const float *x = pointers[1];
  for (int64_t i = 0; i < op->elements; ++i)
    y[i] = (float)(x[i] * op->factor);
  return CAMP_STATUS_SUCCESS;
}

static const camp_tensor_spec_t tensors[] = {{"y", CAMP_ROLE_OUTPUT}, {"x", CAMP_ROLE_INPUT}};
static const camp_attribute_spec_t attributes[] = {
    {"factor", CAMP_ATTRIBUTE_F64, {.f64 = FAKE_FACTOR}},
    {"create_status", CAMP_ATTRIBUTE_I64, {.i64 = 0}},
    {"execute_status", CAMP_ATTRIBUTE_I64, {.i64 = 0}},
    {"workspace_bytes", CAMP_ATTRIBUTE_I64, {.i64 = 0}},
    {"meet", CAMP_ATTRIBUTE_I64, {.i64 = 0}},
};

CAMP_API const camp_operator_vtable_t camp_scale_vtable;
const camp_operator_vtable_t camp_scale_vtable = {
    FAKE_OPERATOR_ABI_VERSION, "scale", 2, tensors, 5, attributes, create, execute};
