/* runtime.c: the C ABI on host memory in as few lines as it takes, for tests of camp._native that
 * must not depend on the real runtime. FAKE_ABI_VERSION and FAKE_BACKEND change what it claims. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "operator_runtime/simulator.h"

#ifndef FAKE_ABI_VERSION
#define FAKE_ABI_VERSION CAMP_ABI_VERSION
#endif
#ifndef FAKE_BACKEND
#define FAKE_BACKEND "sim"
#endif

struct camp_handle {
  int device;
  camp_stream_t stream;
};
struct camp_event {
  int recorded;
};

static _Thread_local const char *last_message = "";
static long allocations; /* blocks handed out and not yet given back */

camp_status_t fake_fail(camp_status_t status, const char *message) {
  last_message = message;
  return status;
}
CAMP_API long fake_allocations(void) {
  return allocations;
}

CAMP_API uint32_t camp_abi_version(void) {
  return FAKE_ABI_VERSION;
}
CAMP_API const char *camp_status_name(camp_status_t status) {
  return status ? "?" : "SUCCESS";
}
CAMP_API const char *camp_last_error_message(void) {
  return last_message;
}
CAMP_API const char *camp_backend_name(void) {
  return FAKE_BACKEND;
}

static const size_t sizes[] = {4, 2, 2, 8, 4, 8, 1};
CAMP_API size_t camp_dtype_bytes(camp_dtype_t dtype) {
  return sizes[dtype];
}

CAMP_API camp_status_t camp_device_count(int *count) {
  *count = 1;
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_device_get_info(int device, camp_device_info_t *info) {
  if (device != 0) return fake_fail(CAMP_STATUS_NO_DEVICE, "no device 1");
  strcpy(info->name, "fake");
  info->compute_major = 9;
  info->memory_bytes = (size_t)1 << 40;
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_device_synchronize(int device) {
  return device == 0 ? CAMP_STATUS_SUCCESS : fake_fail(CAMP_STATUS_NO_DEVICE, "no device 1");
}

CAMP_API camp_status_t camp_memory_alloc(int device, size_t bytes, void **pointer) {
  (void)device;
  if (bytes > (size_t)1 << 40) return fake_fail(CAMP_STATUS_OUT_OF_MEMORY, "that is too much");
  *pointer = bytes == 0 ? NULL : aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (bytes != 0) ++allocations;
  if (bytes != 0 && *pointer != NULL) memset(*pointer, 0xee, bytes); /* device memory is rubbish */
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_memory_free(int device, void *pointer) {
  (void)device;
  if (pointer != NULL) --allocations;
  free(pointer);
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_memory_copy(void *destination, const void *source, size_t bytes,
                                        camp_copy_kind_t kind, camp_stream_t stream) {
  (void)kind;
  (void)stream;
  memcpy(destination, source, bytes);
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_memory_set(void *pointer, uint8_t value, size_t bytes,
                                       camp_stream_t stream) {
  (void)stream;
  memset(pointer, value, bytes);
  return CAMP_STATUS_SUCCESS;
}

CAMP_API camp_status_t camp_stream_create(int device, camp_stream_t *stream) {
  (void)device;
  *stream = malloc(1);
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_stream_destroy(camp_stream_t stream) {
  free(stream);
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_stream_synchronize(camp_stream_t stream) {
  (void)stream;
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_event_create(int device, camp_event_t **event) {
  (void)device;
  *event = calloc(1, sizeof **event);
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_event_destroy(camp_event_t *event) {
  free(event);
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_event_record(camp_event_t *event, camp_stream_t stream) {
  (void)stream;
  event->recorded = 1;
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_event_synchronize(camp_event_t *event) {
  (void)event;
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_event_elapsed_ms(camp_event_t *start, camp_event_t *end,
                                             float *milliseconds) {
  if (!start->recorded || !end->recorded) {
    return fake_fail(CAMP_STATUS_INVALID_OBJECT, "the event was never recorded");
  }
  *milliseconds = 1.5f;
  return CAMP_STATUS_SUCCESS;
}

CAMP_API camp_status_t camp_graph_begin(camp_stream_t stream) {
  (void)stream;
  return fake_fail(CAMP_STATUS_INTERNAL, "the fake records no graphs");
}
CAMP_API camp_status_t camp_graph_end(camp_stream_t stream, camp_graph_t **graph) {
  (void)graph;
  return camp_graph_begin(stream);
}
CAMP_API camp_status_t camp_graph_launch(camp_graph_t *graph, camp_stream_t stream) {
  (void)graph;
  return camp_graph_begin(stream);
}
CAMP_API camp_status_t camp_graph_destroy(camp_graph_t *graph) {
  return camp_graph_launch(graph, NULL);
}

CAMP_API camp_status_t camp_handle_create(camp_handle_t **handle, int device,
                                          camp_stream_t stream) {
  if (device != 0) return fake_fail(CAMP_STATUS_NO_DEVICE, "there is no device 1");
  *handle = malloc(sizeof **handle);
  (*handle)->device = device;
  (*handle)->stream = stream;
  ++allocations;
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_handle_destroy(camp_handle_t *handle) {
  --allocations;
  free(handle);
  return CAMP_STATUS_SUCCESS;
}

CAMP_API camp_status_t camp_tensor_descriptor_create(camp_tensor_descriptor_t **descriptor,
                                                     camp_dtype_t dtype, size_t rank,
                                                     const int64_t *shape, const int64_t *strides) {
  camp_tensor_descriptor_t *made = malloc(sizeof *made);
  made->dtype = dtype;
  made->elements = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    made->elements *= shape[axis];
    made->strides[axis] = strides[axis];
  }
  made->rank = rank;
  *descriptor = made;
  ++allocations;
  return CAMP_STATUS_SUCCESS;
}
CAMP_API camp_status_t camp_tensor_descriptor_destroy(camp_tensor_descriptor_t *descriptor) {
  --allocations;
  free(descriptor);
  return CAMP_STATUS_SUCCESS;
}

#ifndef FAKE_LACKS_DESTROY
CAMP_API camp_status_t camp_operator_destroy(camp_operator_t *op) {
  --allocations;
  free(op);
  return CAMP_STATUS_SUCCESS;
}
#endif
CAMP_API camp_operator_t *fake_operator(void) {
  ++allocations;
  return calloc(1, sizeof(camp_operator_t));
}
CAMP_API camp_status_t camp_operator_workspace_bytes(const camp_operator_t *op, size_t *bytes) {
  *bytes = op->workspace_bytes;
  return CAMP_STATUS_SUCCESS;
}

CAMP_API camp_status_t camp_sim_configure(const camp_sim_options_t *options) {
  return options == NULL || options->schedule_seed != 13
             ? CAMP_STATUS_SUCCESS
             : fake_fail(CAMP_STATUS_INVALID_ARGUMENT, "an unlucky seed");
}
CAMP_API const char *camp_sim_take_report(void) {
  return "{\"faults\": [], \"launches\": []}";
}
