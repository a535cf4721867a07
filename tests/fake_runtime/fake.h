/* fake.h: what the fake runtime and its operator share. */
#ifndef FAKE_H
#define FAKE_H

#include "operator_runtime.h"

struct camp_tensor_descriptor {
  camp_dtype_t dtype;
  size_t rank;
  int64_t elements;
  int64_t strides[CAMP_MAX_RANK];
};

struct camp_operator {
  int64_t elements;
  double factor;
  camp_status_t status; /* what execute returns */
  size_t workspace_bytes;
  int meet;
};

CAMP_API camp_status_t fake_fail(camp_status_t status, const char *message);
CAMP_API camp_operator_t *fake_operator(void);
CAMP_API long fake_allocations(void);

#endif
