/* vector_add.h: z[i] = a[i] + b[i]. */
#ifndef OPERATOR_RUNTIME_OPS_VECTOR_ADD_H
#define OPERATOR_RUNTIME_OPS_VECTOR_ADD_H

#include "operator_runtime/operator.h"

/* Prepares z = a + b.
 *
 * z, a, b: same shape (any rank), same dtype (f32, f16 or bf16), row-major contiguous. Each
 * element is the exact sum rounded once to the dtype, to nearest even. Pointers passed to execute
 * need only the alignment of one element.
 *
 * Fails with INVALID_ARGUMENT (null pointer), INVALID_OBJECT (freed handle or descriptor),
 * UNSUPPORTED_DTYPE (another dtype, or dtypes differ), SHAPE_MISMATCH, UNSUPPORTED_LAYOUT (not
 * contiguous) or OUT_OF_MEMORY; *op is untouched then. */
CAMP_API camp_status_t camp_vector_add_create(camp_operator_t **op, const camp_handle_t *handle,
                                              const camp_tensor_descriptor_t *z,
                                              const camp_tensor_descriptor_t *a,
                                              const camp_tensor_descriptor_t *b);

/* Launches the addition on the handle's stream. Needs no workspace (NULL, 0).
 *
 * z: device memory, written; a, b: device memory, read. z must not overlap a or b; a and b may be
 * the same. Any may be NULL only for 0 elements, which succeeds and launches nothing.
 *
 * Fails with INVALID_ARGUMENT, INVALID_OBJECT (op is no vector_add), LAUNCH_FAILED, KERNEL_FAULT
 * (sim) or DEVICE_ERROR. */
CAMP_API camp_status_t camp_vector_add_execute(const camp_operator_t *op, void *workspace,
                                               size_t workspace_bytes, void *z, const void *a,
                                               const void *b);

#endif
