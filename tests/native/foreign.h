/* foreign.h: calls as only C can make them, with any int in place of an enum. */
#ifndef CAMP_TESTS_FOREIGN_H
#define CAMP_TESTS_FOREIGN_H

#include "operator_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

const char *foreign_status_name(int status);
const char *foreign_dtype_name(int dtype);
size_t foreign_dtype_bytes(int dtype);
camp_status_t foreign_describe(camp_tensor_descriptor_t **descriptor, int dtype, size_t rank,
                               const int64_t *shape);
camp_status_t foreign_copy(void *destination, const void *source, size_t bytes, int kind);

#ifdef __cplusplus
}
#endif

#endif
