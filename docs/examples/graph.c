/* graph.c: two operators recorded once and launched together, from plain C11.
 *
 *   camp build
 *   cc -std=c11 -I native/include docs/examples/graph.c -L build-sim -lcamp_ops \
 *      -Wl,-rpath,build-sim -o graph && ./graph */
#include <stdio.h>

#include "operator_runtime.h"
#include "operator_runtime/ops/relu.h"

enum { N = 8, ROUNDS = 3 };

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
  camp_stream_t stream; /* the default stream cannot record */
  void *x, *y, *z;
  TRY(camp_stream_create(0, &stream));
  TRY(camp_memory_alloc(0, N * sizeof(float), &x));
  TRY(camp_memory_alloc(0, N * sizeof(float), &y));
  TRY(camp_memory_alloc(0, N * sizeof(float), &z));

  const int64_t shape[] = {N};
  camp_tensor_descriptor_t *vector;
  camp_handle_t *handle;
  camp_operator_t *halve, *quarter; /* the negative values, that is */
  TRY(camp_tensor_descriptor_create(&vector, CAMP_DTYPE_F32, 1, shape, NULL));
  TRY(camp_handle_create(&handle, 0, stream));
  TRY(camp_relu_create(&halve, handle, vector, vector, 0.5));
  TRY(camp_relu_create(&quarter, handle, vector, vector, 0.25));

  camp_graph_t *graph;
  TRY(camp_graph_begin(stream));
  TRY(camp_relu_execute(halve, NULL, 0, y, x));
  TRY(camp_relu_execute(quarter, NULL, 0, z, y));
  TRY(camp_graph_end(stream, &graph)); /* nothing has run yet */

  int wrong = 0;
  for (int round = 1; round <= ROUNDS; ++round) {
    float values[N];
    for (int i = 0; i < N; ++i)
      values[i] = (float)((i - N / 2) * round);
    TRY(camp_memory_copy(x, values, sizeof values, CAMP_COPY_HOST_TO_DEVICE, stream));
    TRY(camp_graph_launch(graph, stream));
    TRY(camp_memory_copy(values, z, sizeof values, CAMP_COPY_DEVICE_TO_HOST, stream));
    TRY(camp_stream_synchronize(stream));
    for (int i = 0; i < N; ++i) {
      const float given = (float)((i - N / 2) * round);
      wrong += values[i] != (given > 0 ? given : given * 0.125f);
    }
  }
  printf("a graph on %s: %d of %d values right\n", camp_backend_name(), ROUNDS * N - wrong,
         ROUNDS * N);

  TRY(camp_graph_destroy(graph));
  TRY(camp_operator_destroy(halve));
  TRY(camp_operator_destroy(quarter));
  TRY(camp_handle_destroy(handle));
  TRY(camp_tensor_descriptor_destroy(vector));
  TRY(camp_memory_free(0, x));
  TRY(camp_memory_free(0, y));
  TRY(camp_memory_free(0, z));
  TRY(camp_stream_destroy(stream));
  return wrong != 0;
}
