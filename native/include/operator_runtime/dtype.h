/* dtype.h: element types of a tensor. */
#ifndef OPERATOR_RUNTIME_DTYPE_H
#define OPERATOR_RUNTIME_DTYPE_H

#include <stddef.h>

#include "operator_runtime/export.h"

typedef enum camp_dtype {
  CAMP_DTYPE_F32 = 0,
  CAMP_DTYPE_F16 = 1,
  CAMP_DTYPE_BF16 = 2,
  CAMP_DTYPE_F64 = 3,
  CAMP_DTYPE_I32 = 4,
  CAMP_DTYPE_I64 = 5,
  CAMP_DTYPE_U8 = 6
} camp_dtype_t;

/* Bytes of one element; 0 for a value that is no dtype. */
CAMP_API size_t camp_dtype_bytes(camp_dtype_t dtype);

/* The short name used everywhere in Camp, such as "bf16"; "?" for a value that is no dtype. */
CAMP_API const char *camp_dtype_name(camp_dtype_t dtype);

#endif
