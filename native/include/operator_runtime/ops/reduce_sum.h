/* reduce_sum.h: y[r] = sum over c of x[r, c], accumulated in float32. */
#ifndef OPERATOR_RUNTIME_OPS_REDUCE_SUM_H
#define OPERATOR_RUNTIME_OPS_REDUCE_SUM_H

#include "operator_runtime/operator.h"

/* Prepares a sum over the last axis of x, or over all of x.
 *
 * x: any rank. y: the shape of x without its last axis (sum over the last axis), or rank 0 (sum of
 * all elements, in effect one row). Same dtype (f32, f16 or bf16), both row-major contiguous. Sums
 * are accumulated in float32 and rounded once to the dtype; a row without elements gives 0.
 * Pointers passed to execute need only the alignment of one element.
 *
 * Fails with INVALID_ARGUMENT (null pointer), INVALID_OBJECT (freed handle or descriptor),
 * UNSUPPORTED_DTYPE (another dtype, or dtypes differ), SHAPE_MISMATCH, UNSUPPORTED_LAYOUT (not
 * contiguous) or OUT_OF_MEMORY; *op is untouched then. */
CAMP_API camp_status_t camp_reduce_sum_create(camp_operator_t **op, const camp_handle_t *handle,
                                              const camp_tensor_descriptor_t *y,
                                              const camp_tensor_descriptor_t *x);

/* Launches the sum on the handle's stream.
 *
 * workspace: device memory of at least camp_operator_workspace_bytes(op) bytes, aligned to 256,
 * zeroed before its first use and then this operator's alone (operator.h). NULL when 0 bytes are
 * asked.
 * y: device memory, written; x: device memory, read. They must not overlap each other or the
 * workspace. y or x may be NULL only when it has 0 elements; an empty y launches nothing.
 *
 * Fails with INVALID_ARGUMENT, INVALID_OBJECT (op is no reduce_sum), WORKSPACE_TOO_SMALL,
 * LAUNCH_FAILED, KERNEL_FAULT (sim) or DEVICE_ERROR. */
CAMP_API camp_status_t camp_reduce_sum_execute(const camp_operator_t *op, void *workspace,
                                               size_t workspace_bytes, void *y, const void *x);

#endif
