/* errors.c: what wrong use looks like from C: a status and a sentence, never a crash. */
#include <stdio.h>
#include <string.h>

#include "operator_runtime.h"
#include "operator_runtime/ops/relu.h"

/* Counts the calls that did not answer with `expected` and a sentence. */
static int expect(const char *what, camp_status_t got, camp_status_t expected) {
  const char *message = got == CAMP_STATUS_SUCCESS ? "" : camp_last_error_message();
  printf("%-22s %-17s %s\n", what, camp_status_name(got), message);
  return got != expected || (got != CAMP_STATUS_SUCCESS && strlen(message) == 0);
}

int main(void) {
  int wrong = 0;
  camp_handle_t *handle = NULL;
  wrong += expect("a handle", camp_handle_create(&handle, 0, NULL), CAMP_STATUS_SUCCESS);

  const int64_t four[] = {4}, five[] = {5}, vast[] = {INT64_MAX, 8};
  camp_tensor_descriptor_t *y = NULL, *x = NULL, *halves = NULL, *none = NULL;
  camp_tensor_descriptor_create(&y, CAMP_DTYPE_F32, 1, four, NULL);
  camp_tensor_descriptor_create(&x, CAMP_DTYPE_F32, 1, five, NULL);
  camp_tensor_descriptor_create(&halves, CAMP_DTYPE_F16, 1, four, NULL);

  camp_operator_t *relu = NULL;
  wrong += expect("4 from 5 elements", camp_relu_create(&relu, handle, y, x, 0.0),
                  CAMP_STATUS_SHAPE_MISMATCH);
  wrong += expect("f32 from f16", camp_relu_create(&relu, handle, y, halves, 0.0),
                  CAMP_STATUS_UNSUPPORTED_DTYPE);
  wrong +=
      expect("no handle", camp_relu_create(&relu, NULL, y, y, 0.0), CAMP_STATUS_INVALID_ARGUMENT);
  wrong += expect("2^63 x 8 elements",
                  camp_tensor_descriptor_create(&none, CAMP_DTYPE_F32, 2, vast, NULL),
                  CAMP_STATUS_OVERFLOW);
  wrong += expect("null pointers", camp_relu_create(&relu, handle, y, y, 0.0), CAMP_STATUS_SUCCESS);
  wrong += expect("", camp_relu_execute(relu, NULL, 0, NULL, NULL), CAMP_STATUS_INVALID_ARGUMENT);

  camp_operator_destroy(relu);
  camp_tensor_descriptor_destroy(y);
  camp_tensor_descriptor_destroy(x);
  camp_tensor_descriptor_destroy(halves);
  camp_handle_destroy(handle);
  return wrong != 0;
}
