/* handle.h: the device and stream on which operators run. */
#ifndef OPERATOR_RUNTIME_HANDLE_H
#define OPERATOR_RUNTIME_HANDLE_H

#include "operator_runtime/device.h"
#include "operator_runtime/status.h"

typedef struct camp_handle camp_handle_t;

/* Makes a handle for `device` (0-based) and `stream` (NULL: the device's default stream). The
 * stream is borrowed: it must outlive every operator created from the handle. Fails with NO_DEVICE,
 * INVALID_ARGUMENT or OUT_OF_MEMORY. */
CAMP_API camp_status_t camp_handle_create(camp_handle_t **handle, int device, camp_stream_t stream);

/* Frees a handle. Operators created from it stay valid. */
CAMP_API camp_status_t camp_handle_destroy(camp_handle_t *handle);

/* The device and the stream the handle was made with. Either pointer may be NULL. */
CAMP_API camp_status_t camp_handle_get(const camp_handle_t *handle, int *device,
                                       camp_stream_t *stream);

#endif
