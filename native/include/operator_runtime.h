/* operator_runtime.h: the whole runtime but the operators; add operator_runtime/ops/<op>.h for each
 * used. */
#ifndef OPERATOR_RUNTIME_H
#define OPERATOR_RUNTIME_H

#include "operator_runtime/device.h"
#include "operator_runtime/dtype.h"
#include "operator_runtime/graph.h"
#include "operator_runtime/handle.h"
#include "operator_runtime/operator.h"
#include "operator_runtime/status.h"
#include "operator_runtime/tensor.h"

#endif
