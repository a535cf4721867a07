/* relu.h: y = x > 0 ? x : x * negative_slope, with broadcast and strides. */
#ifndef OPERATOR_RUNTIME_OPS_RELU_H
#define OPERATOR_RUNTIME_OPS_RELU_H

#include "operator_runtime/operator.h"

/* Prepares y = relu(x).
 *
 * y: any rank; strides of a row-major array, its axes permuted or its rows padded as you like. x:
 * broadcasts to y, that is, its axes align with y's from the right, and an axis that is missing or
 * of extent 1 repeats; any strides. Same dtype (f32, f16 or bf16). Pointers passed to execute need
 * only the alignment of one element.
 *
 * negative_slope: finite; rounded to float32. The product is rounded once to the dtype; the sign
 * of a zero result is free. A NaN stays NaN; -inf gives -inf * negative_slope, a NaN for slope 0.
 *
 * Fails with INVALID_ARGUMENT (null pointer, slope not finite), INVALID_OBJECT (freed handle or
 * descriptor), UNSUPPORTED_DTYPE (another dtype, or dtypes differ), SHAPE_MISMATCH (x does not
 * broadcast to y), UNSUPPORTED_LAYOUT (elements of y might share an address) or OUT_OF_MEMORY; *op
 * is untouched then. */
CAMP_API camp_status_t camp_relu_create(camp_operator_t **op, const camp_handle_t *handle,
                                        const camp_tensor_descriptor_t *y,
                                        const camp_tensor_descriptor_t *x, double negative_slope);

/* Launches the operator on the handle's stream. Needs no workspace (NULL, 0).
 *
 * y: device memory, written; x: device memory, read; both point at the element of index 0. They
 * must not overlap. Either may be NULL only for 0 elements, which succeeds and launches nothing.
 *
 * Fails with INVALID_ARGUMENT, INVALID_OBJECT (op is no relu), LAUNCH_FAILED, KERNEL_FAULT (sim)
 * or DEVICE_ERROR. */
CAMP_API camp_status_t camp_relu_execute(const camp_operator_t *op, void *workspace,
                                         size_t workspace_bytes, void *y, const void *x);

#endif
