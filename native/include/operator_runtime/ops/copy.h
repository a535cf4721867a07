/* copy.h: y[i] = x[i], bit for bit. */
#ifndef OPERATOR_RUNTIME_OPS_COPY_H
#define OPERATOR_RUNTIME_OPS_COPY_H

#include "operator_runtime/operator.h"

/* Prepares a copy of x into y.
 *
 * y, x: same shape (any rank), same dtype (any of the seven), row-major contiguous. Elements are
 * moved as bits, so NaN payloads survive. Pointers passed to execute need only the alignment of
 * one element.
 *
 * Fails with INVALID_ARGUMENT (null pointer), INVALID_OBJECT (freed handle or descriptor),
 * UNSUPPORTED_DTYPE (dtypes differ), SHAPE_MISMATCH, UNSUPPORTED_LAYOUT (not contiguous) or
 * OUT_OF_MEMORY; *op is untouched then. */
CAMP_API camp_status_t camp_copy_create(camp_operator_t **op, const camp_handle_t *handle,
                                        const camp_tensor_descriptor_t *y,
                                        const camp_tensor_descriptor_t *x);

/* Launches the copy on the handle's stream. Needs no workspace (NULL, 0).
 *
 * y: device memory, written; x: device memory, read. They must not overlap. Either may be NULL
 * only for 0 elements, which succeeds and launches nothing.
 *
 * Fails with INVALID_ARGUMENT, INVALID_OBJECT (op is no copy), LAUNCH_FAILED, KERNEL_FAULT (sim)
 * or DEVICE_ERROR. */
CAMP_API camp_status_t camp_copy_execute(const camp_operator_t *op, void *workspace,
                                         size_t workspace_bytes, void *y, const void *x);

#endif
