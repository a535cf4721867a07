/* tensor.h: descriptors of shape, strides and dtype. They own no data. */
#ifndef OPERATOR_RUNTIME_TENSOR_H
#define OPERATOR_RUNTIME_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "operator_runtime/dtype.h"
#include "operator_runtime/status.h"

#define CAMP_MAX_RANK 8

typedef struct camp_tensor_descriptor camp_tensor_descriptor_t;

/* Describes a tensor of `rank` (0..CAMP_MAX_RANK) axes.
 * shape: `rank` extents >= 0 (may be NULL when rank is 0).
 * strides: `rank` steps >= 0 in elements, or NULL for row-major contiguous; 0 broadcasts an axis.
 * Fails with INVALID_ARGUMENT, UNSUPPORTED_DTYPE or OVERFLOW; *descriptor is untouched then. */
CAMP_API camp_status_t camp_tensor_descriptor_create(camp_tensor_descriptor_t **descriptor,
                                                     camp_dtype_t dtype, size_t rank,
                                                     const int64_t *shape, const int64_t *strides);

/* Frees a descriptor. Operators created from it stay valid. */
CAMP_API camp_status_t camp_tensor_descriptor_destroy(camp_tensor_descriptor_t *descriptor);

#endif
