/* foreign.c: a C caller that casts whatever it has to the enums of the ABI. */
#include "foreign.h"

const char *foreign_status_name(int status) {
  return camp_status_name((camp_status_t)status);
}

const char *foreign_dtype_name(int dtype) {
  return camp_dtype_name((camp_dtype_t)dtype);
}

size_t foreign_dtype_bytes(int dtype) {
  return camp_dtype_bytes((camp_dtype_t)dtype);
}

camp_status_t foreign_describe(camp_tensor_descriptor_t **descriptor, int dtype, size_t rank,
                               const int64_t *shape) {
  return camp_tensor_descriptor_create(descriptor, (camp_dtype_t)dtype, rank, shape, NULL);
}

camp_status_t foreign_copy(void *destination, const void *source, size_t bytes, int kind) {
  return camp_memory_copy(destination, source, bytes, (camp_copy_kind_t)kind, NULL);
}
