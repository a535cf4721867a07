/* softmax.h: y[r, c] = exp(x[r, c] - max_r) / sum over c of exp(x[r, c] - max_r). */
#ifndef OPERATOR_RUNTIME_OPS_SOFTMAX_H
#define OPERATOR_RUNTIME_OPS_SOFTMAX_H

#include "operator_runtime/operator.h"

/* Prepares a softmax over the last axis.
 *
 * y, x: same shape of rank 1 or more, same dtype (f32, f16 or bf16), row-major contiguous.
 * Computed in float32 and rounded once to the dtype. Any finite row is stable; a row whose only
 * finite element stands among -inf gives 1 there and 0 elsewhere; a row of -inf only, or one that
 * holds a NaN, is NaN throughout; a row with +inf is unspecified. Pointers passed to execute need
 * only the alignment of one element.
 *
 * Fails with INVALID_ARGUMENT (null pointer), INVALID_OBJECT (freed handle or descriptor),
 * UNSUPPORTED_DTYPE (another dtype, or dtypes differ), SHAPE_MISMATCH (also rank 0),
 * UNSUPPORTED_LAYOUT (not contiguous) or OUT_OF_MEMORY; *op is untouched then. */
CAMP_API camp_status_t camp_softmax_create(camp_operator_t **op, const camp_handle_t *handle,
                                           const camp_tensor_descriptor_t *y,
                                           const camp_tensor_descriptor_t *x);

/* Launches the softmax on the handle's stream. Needs no workspace (NULL, 0).
 *
 * y: device memory, written; x: device memory, read. They must not overlap. Either may be NULL
 * only for 0 elements, which succeeds and launches nothing.
 *
 * Fails with INVALID_ARGUMENT, INVALID_OBJECT (op is no softmax), LAUNCH_FAILED, KERNEL_FAULT
 * (sim) or DEVICE_ERROR. */
CAMP_API camp_status_t camp_softmax_execute(const camp_operator_t *op, void *workspace,
                                            size_t workspace_bytes, void *y, const void *x);

#endif
