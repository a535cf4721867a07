// types.cuh: calls a function object with the element type that a dtype names.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "camp_bench.h"

namespace camp_bench {

template <typename T>
struct Type {
  using type = T;
};

// visit(Type<T>{}) -> cudaError_t; cudaErrorNotSupported for a dtype without a kernel.
template <typename Visit>
cudaError_t for_type(camp_dtype_t dtype, Visit visit) {
  switch (dtype) {
    case CAMP_DTYPE_F32:
      return visit(Type<float>{});
    case CAMP_DTYPE_F16:
      return visit(Type<__half>{});
    case CAMP_DTYPE_BF16:
      return visit(Type<__nv_bfloat16>{});
    default:
      return cudaErrorNotSupported;
  }
}

}  // namespace camp_bench
