// dtype.cuh: element types of kernels, and their way to float32 and back.
//
// Every float type is computed in float32 and rounded once at the store, to nearest even. bf16 has
// no arithmetic of its own before sm_80, and a half accumulator stops growing at 2048.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace camp {

// The value as float32: exact for all three types.
__device__ __forceinline__ float to_float(float value) {
  return value;
}
__device__ __forceinline__ float to_float(__half value) {
  return __half2float(value);
}
// By hand, so that the compiler sees through it: the upper half of a word is widened by one mask.
__device__ __forceinline__ float to_float(__nv_bfloat16 value) {
  return __uint_as_float(static_cast<uint32_t>(__bfloat16_as_ushort(value)) << 16);
}

// The nearest T, ties to even; overflow gives an infinity, NaN stays NaN.
template <typename T>
__device__ __forceinline__ T from_float(float value);

template <>
__device__ __forceinline__ float from_float<float>(float value) {
  return value;
}
template <>
__device__ __forceinline__ __half from_float<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

}  // namespace camp
