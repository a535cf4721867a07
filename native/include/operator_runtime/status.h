/* status.h: status codes, the thread-local message behind them, and the ABI version. */
#ifndef OPERATOR_RUNTIME_STATUS_H
#define OPERATOR_RUNTIME_STATUS_H

#include <stdint.h>

#include "operator_runtime/export.h"

/* Raised whenever a struct, an enum value or a signature in these headers changes. */
#define CAMP_ABI_VERSION 1u

typedef enum camp_status {
  CAMP_STATUS_SUCCESS = 0,
  CAMP_STATUS_INVALID_ARGUMENT = 1,    /* a null pointer or a value outside its range */
  CAMP_STATUS_INVALID_OBJECT = 2,      /* a freed, foreign or mismatched object */
  CAMP_STATUS_UNSUPPORTED_DTYPE = 3,   /* the operator does not take this dtype, or dtypes differ */
  CAMP_STATUS_SHAPE_MISMATCH = 4,      /* ranks or extents do not fit together */
  CAMP_STATUS_UNSUPPORTED_LAYOUT = 5,  /* strides the operator does not take */
  CAMP_STATUS_OVERFLOW = 6,            /* shape x stride x element size leaves 64 bits */
  CAMP_STATUS_WORKSPACE_TOO_SMALL = 7, /* fewer bytes than the operator asked for at create */
  CAMP_STATUS_OUT_OF_MEMORY = 8,
  CAMP_STATUS_NO_DEVICE = 9,      /* no such device, or no driver */
  CAMP_STATUS_LAUNCH_FAILED = 10, /* the device refused the launch; the kernel never ran */
  CAMP_STATUS_KERNEL_FAULT = 11,  /* the kernel ran and broke a rule */
  CAMP_STATUS_DEVICE_ERROR = 12,  /* any other error of the device runtime */
  CAMP_STATUS_INTERNAL = 13       /* a fault of Camp itself */
} camp_status_t;

/* The ABI version the library was built with; compare with CAMP_ABI_VERSION before any other call.
 */
CAMP_API uint32_t camp_abi_version(void);

/* The name of a status, such as "SHAPE_MISMATCH"; "UNKNOWN" for any other value. Never NULL. */
CAMP_API const char *camp_status_name(camp_status_t status);

/* One sentence on the last failed call of this thread; "" when none failed.
 * Valid until the next call that fails on this thread. Never NULL. */
CAMP_API const char *camp_last_error_message(void);

#endif
