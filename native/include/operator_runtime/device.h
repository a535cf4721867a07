/* device.h: devices, memory, copies, streams and events; enough for a C program to need nothing
 * else.
 *
 * A stream is the backend's own (a cudaStream_t on `nvidia`), so streams of other libraries can be
 * passed in. Every function that takes a device makes it current for the calling thread. */
#ifndef OPERATOR_RUNTIME_DEVICE_H
#define OPERATOR_RUNTIME_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "operator_runtime/status.h"

typedef void *camp_stream_t;
typedef struct camp_event camp_event_t;

typedef enum camp_copy_kind {
  CAMP_COPY_HOST_TO_DEVICE = 0,
  CAMP_COPY_DEVICE_TO_HOST = 1,
  CAMP_COPY_DEVICE_TO_DEVICE = 2
} camp_copy_kind_t;

typedef struct camp_device_info {
  char name[128];
  int compute_major; /* compute capability; 0.0 is never reported */
  int compute_minor;
  int multiprocessors;
  int max_threads_per_block;
  size_t shared_bytes_per_block;       /* without opting in */
  size_t shared_bytes_per_block_optin; /* with the function attribute */
  size_t l2_bytes;
  size_t memory_bytes;
  int memory_clock_khz;      /* 0 where unknown */
  int memory_bus_width_bits; /* 0 where unknown */
} camp_device_info_t;

/* "sim" or "nvidia": which backend this library was built for. */
CAMP_API const char *camp_backend_name(void);

/* The number of devices; 0 (and SUCCESS) where there is no driver or no GPU. */
CAMP_API camp_status_t camp_device_count(int *count);
CAMP_API camp_status_t camp_device_get_info(int device, camp_device_info_t *info);
CAMP_API camp_status_t camp_device_synchronize(int device);

/* Allocates `bytes` on the device; 0 bytes gives NULL and SUCCESS. */
CAMP_API camp_status_t camp_memory_alloc(int device, size_t bytes, void **pointer);
/* Frees what camp_memory_alloc gave on that device; NULL is fine. INVALID_OBJECT for anything else,
 * such as memory already freed. */
CAMP_API camp_status_t camp_memory_free(int device, void *pointer);
/* Copies `bytes`; ordered on `stream`. Host memory that is not page-locked is read before return.
 * INVALID_ARGUMENT for a range that leaves its allocation of camp_memory_alloc, or one of those
 * where `kind` says host. */
CAMP_API camp_status_t camp_memory_copy(void *destination, const void *source, size_t bytes,
                                        camp_copy_kind_t kind, camp_stream_t stream);
/* Sets `bytes` bytes of device memory to `value`; ordered on `stream`. */
CAMP_API camp_status_t camp_memory_set(void *pointer, uint8_t value, size_t bytes,
                                       camp_stream_t stream);

/* A stream that waits for the device's default stream (NULL) and is waited for by it. */
CAMP_API camp_status_t camp_stream_create(int device, camp_stream_t *stream);
/* Only for streams of camp_stream_create, once each; INVALID_OBJECT otherwise. */
CAMP_API camp_status_t camp_stream_destroy(camp_stream_t stream);
CAMP_API camp_status_t camp_stream_synchronize(camp_stream_t stream);

CAMP_API camp_status_t camp_event_create(int device, camp_event_t **event);
CAMP_API camp_status_t camp_event_destroy(camp_event_t *event);
CAMP_API camp_status_t camp_event_record(camp_event_t *event, camp_stream_t stream);
CAMP_API camp_status_t camp_event_synchronize(camp_event_t *event);
/* Waits for `end`, then gives the milliseconds between two recorded events, about 0.5 us fine on a
 * GPU. */
CAMP_API camp_status_t camp_event_elapsed_ms(camp_event_t *start, camp_event_t *end,
                                             float *milliseconds);

#endif
