/* operator.h: the life of an operator, the same for every one of them.
 *
 *   camp_<op>_create -> camp_operator_workspace_bytes -> camp_<op>_execute ... ->
 * camp_operator_destroy
 *
 * Create validates and captures all it needs; execute only launches, allocates nothing and returns
 * before the device is done (on `sim` the kernel has finished).
 *
 * The caller owns the workspace, aligned to 16 bytes, and zeroes it once: after allocating it and
 * before its first execute. From then on it belongs to one operator on one stream: nothing else
 * writes to it, and each execute leaves it as the next one wants it. An execute that fails after it
 * began to launch zeroes it again, in the order of the stream, so the operator stays usable. What
 * cannot be repaired so is a fault that the device reports later (DEVICE_ERROR of a synchronise):
 * it ends the whole context, all device memory with it.
 *
 * Execute takes device pointers, not NULL but for a tensor without elements, aligned to the element
 * (INVALID_ARGUMENT otherwise); outputs must not be the memory of another tensor unless the
 * operator says so. One operator may be executed from several threads at once, each with its own
 * workspace and outputs.
 * ops/<op>.h declares the typed create and execute; `camp_<op>_vtable` offers the same untyped, for
 * callers that load an operator by name. */
#ifndef OPERATOR_RUNTIME_OPERATOR_H
#define OPERATOR_RUNTIME_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

#include "operator_runtime/handle.h"
#include "operator_runtime/status.h"
#include "operator_runtime/tensor.h"

#define CAMP_MAX_TENSORS 8
#define CAMP_MAX_ATTRIBUTES 8

typedef struct camp_operator camp_operator_t;

typedef enum camp_role { CAMP_ROLE_INPUT = 0, CAMP_ROLE_OUTPUT = 1 } camp_role_t;

typedef struct camp_tensor_spec {
  const char *name;
  camp_role_t role;
} camp_tensor_spec_t;

typedef enum camp_attribute_type {
  CAMP_ATTRIBUTE_F64 = 0,
  CAMP_ATTRIBUTE_I64 = 1
} camp_attribute_type_t;

typedef union camp_attribute_value {
  double f64;
  int64_t i64;
} camp_attribute_value_t;

typedef struct camp_attribute_spec {
  const char *name;
  camp_attribute_type_t type;
  camp_attribute_value_t default_value;
} camp_attribute_spec_t;

/* What a library says of one operator. Tensors and attributes are in the order that create and
 * execute take them. */
typedef struct camp_operator_vtable {
  uint32_t abi_version; /* CAMP_ABI_VERSION of the operator's build */
  const char *name;
  size_t tensor_count;
  const camp_tensor_spec_t *tensors;
  size_t attribute_count;
  const camp_attribute_spec_t *attributes;
  /* attributes may be NULL: the defaults. */
  camp_status_t (*create)(camp_operator_t **op, const camp_handle_t *handle,
                          const camp_tensor_descriptor_t *const *tensors,
                          const camp_attribute_value_t *attributes);
  camp_status_t (*execute)(const camp_operator_t *op, void *workspace, size_t workspace_bytes,
                           void *const *pointers);
} camp_operator_vtable_t;

/* Bytes of device memory that execute needs, zeroed once (see above); fixed at create, 0 for most
 * operators. */
CAMP_API camp_status_t camp_operator_workspace_bytes(const camp_operator_t *op, size_t *bytes);

/* Frees an operator. Launches already made are not waited for. */
CAMP_API camp_status_t camp_operator_destroy(camp_operator_t *op);

#endif
