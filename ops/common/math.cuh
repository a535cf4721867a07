// math.cuh: functions that the hardware has an instruction for and CUDA C++ has no short name for.
#pragma once

#include <cuda_runtime.h>

namespace camp {

inline constexpr float kLog2e = 1.44269504f;  // exp(x) = exp2(x * kLog2e)

// 2^x with a relative error of about 2^-22; results below 2^-126 become 0. One instruction, where
// exp2f spends three more on subnormal results.
__device__ __forceinline__ float fast_exp2(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return exp2f(x);
#endif
}

}  // namespace camp
