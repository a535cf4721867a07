/* relu.c: one operator from plain C11: create, ask for the workspace, execute, destroy.
 *
 *   camp build
 *   cc -std=c11 -I native/include docs/examples/relu.c -L build-sim -lcamp_ops \
 *      -Wl,-rpath,build-sim -o relu && ./relu
 *
 * The same source runs on either backend: the build directory decides. */
#include <stdio.h>

#include "operator_runtime.h"
#include "operator_runtime/ops/relu.h"

enum { ROWS = 3, COLS = 5 };

/* Leaves main with the runtime's own sentence when a call fails. */
#define TRY(call)                                                       \
  do {                                                                  \
    camp_status_t status_ = (call);                                     \
    if (status_ != CAMP_STATUS_SUCCESS) {                               \
      fprintf(stderr, "%s: %s: %s\n", #call, camp_status_name(status_), \
              camp_last_error_message());                               \
      return 1;                                                         \
    }                                                                   \
  } while (0)

int main(void) {
  if (camp_abi_version() != CAMP_ABI_VERSION) {
    fprintf(stderr, "this program and the library are of different versions\n");
    return 1;
  }

  float x[ROWS * COLS], y[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; ++i)
    x[i] = (float)(i - 7);

  void *device_x, *device_y;
  TRY(camp_memory_alloc(0, sizeof x, &device_x));
  TRY(camp_memory_alloc(0, sizeof y, &device_y));
  TRY(camp_memory_copy(device_x, x, sizeof x, CAMP_COPY_HOST_TO_DEVICE, NULL));

  /* What the operator is for: shape, strides (NULL: contiguous) and dtype, no data yet. */
  const int64_t shape[] = {ROWS, COLS};
  camp_tensor_descriptor_t *descriptor;
  TRY(camp_tensor_descriptor_create(&descriptor, CAMP_DTYPE_F32, 2, shape, NULL));

  camp_handle_t *handle;
  TRY(camp_handle_create(&handle, 0, NULL));

  camp_operator_t *relu;
  TRY(camp_relu_create(&relu, handle, descriptor, descriptor, 0.5));
  /* The operator has captured all it needs. */
  TRY(camp_tensor_descriptor_destroy(descriptor));

  size_t workspace_bytes;
  void *workspace;
  TRY(camp_operator_workspace_bytes(relu, &workspace_bytes));
  TRY(camp_memory_alloc(0, workspace_bytes, &workspace));
  TRY(camp_memory_set(workspace, 0, workspace_bytes, NULL)); /* once; then it is the operator's */

  /* May be called as often as wanted. */
  TRY(camp_relu_execute(relu, workspace, workspace_bytes, device_y, device_x));
  TRY(camp_memory_copy(y, device_y, sizeof y, CAMP_COPY_DEVICE_TO_HOST, NULL));
  TRY(camp_stream_synchronize(NULL));

  int wrong = 0;
  for (int i = 0; i < ROWS * COLS; ++i) {
    const float expected = x[i] > 0 ? x[i] : x[i] * 0.5f;
    wrong += y[i] != expected;
    printf("%5.1f%s", (double)y[i], i % COLS == COLS - 1 ? "\n" : " ");
  }
  printf("relu on %s: %s\n", camp_backend_name(), wrong ? "wrong" : "right");

  TRY(camp_operator_destroy(relu));
  TRY(camp_handle_destroy(handle));
  TRY(camp_memory_free(0, workspace));
  TRY(camp_memory_free(0, device_x));
  TRY(camp_memory_free(0, device_y));
  return wrong != 0;
}
