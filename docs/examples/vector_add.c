/* vector_add.c: two inputs on a stream of its own, timed with events, from plain C11.
 *
 *   camp build
 *   cc -std=c11 -I native/include docs/examples/vector_add.c -L build-sim -lcamp_ops \
 *      -Wl,-rpath,build-sim -o vector_add && ./vector_add
 *
 * The operator is an exercise: until its kernel writes anything, the program says so and ends. */
#include <stdio.h>

#include "operator_runtime.h"
#include "operator_runtime/ops/vector_add.h"

enum { N = 1000 };

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
  static float a[N], b[N], z[N];
  for (int i = 0; i < N; ++i) {
    a[i] = (float)i;
    b[i] = 0.5f;
    z[i] = -1.0f; /* no sum is negative, so what is still -1 was not written */
  }

  camp_stream_t stream;
  camp_event_t *start, *end;
  void *device_a, *device_b, *device_z;
  TRY(camp_stream_create(0, &stream));
  TRY(camp_event_create(0, &start));
  TRY(camp_event_create(0, &end));
  TRY(camp_memory_alloc(0, sizeof a, &device_a));
  TRY(camp_memory_alloc(0, sizeof b, &device_b));
  TRY(camp_memory_alloc(0, sizeof z, &device_z));
  TRY(camp_memory_copy(device_a, a, sizeof a, CAMP_COPY_HOST_TO_DEVICE, stream));
  TRY(camp_memory_copy(device_b, b, sizeof b, CAMP_COPY_HOST_TO_DEVICE, stream));
  TRY(camp_memory_copy(device_z, z, sizeof z, CAMP_COPY_HOST_TO_DEVICE, stream));

  const int64_t shape[] = {N};
  camp_tensor_descriptor_t *vector;
  camp_handle_t *handle;
  camp_operator_t *add;
  TRY(camp_tensor_descriptor_create(&vector, CAMP_DTYPE_F32, 1, shape, NULL));
  TRY(camp_handle_create(&handle, 0, stream));
  TRY(camp_vector_add_create(&add, handle, vector, vector, vector));

  float milliseconds;
  TRY(camp_event_record(start, stream));
  TRY(camp_vector_add_execute(add, NULL, 0, device_z, device_a, device_b));
  TRY(camp_event_record(end, stream));
  TRY(camp_event_elapsed_ms(start, end, &milliseconds));
  TRY(camp_memory_copy(z, device_z, sizeof z, CAMP_COPY_DEVICE_TO_HOST, stream));
  TRY(camp_stream_synchronize(stream));

  int wrong = 0, untouched = 0;
  for (int i = 0; i < N; ++i) {
    wrong += z[i] != (float)i + 0.5f;
    untouched += z[i] == -1.0f;
  }

  TRY(camp_operator_destroy(add));
  TRY(camp_handle_destroy(handle));
  TRY(camp_tensor_descriptor_destroy(vector));
  TRY(camp_memory_free(0, device_a));
  TRY(camp_memory_free(0, device_b));
  TRY(camp_memory_free(0, device_z));
  TRY(camp_event_destroy(start));
  TRY(camp_event_destroy(end));
  TRY(camp_stream_destroy(stream));

  if (untouched == N) {
    printf("vector_add on %s: its kernel is not written yet\n", camp_backend_name());
    return 0;
  }
  printf("vector_add on %s: %d of %d sums right, %.3f ms\n", camp_backend_name(), N - wrong, N,
         (double)milliseconds);
  return wrong != 0;
}
