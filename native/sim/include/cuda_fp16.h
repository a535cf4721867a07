// cuda_fp16.h: __half, __half2 and their functions.
#pragma once

#include <math.h>

#include <cstdint>
#include <type_traits>

#include "camp_sim/atomics.h"
#include "camp_sim/casts.h"
#include "camp_sim/float16_bits.h"
#include "camp_sim/math.h"
#include "camp_sim/memory.h"
#include "camp_sim/qualifiers.h"
#include "vector_types.h"

#define CAMP_FLOAT16 __half
#define CAMP_FLOAT16_PAIR __half2
#define CAMP_FLOAT16_RAW __half_raw
#define CAMP_FLOAT16_FORMAT HalfFormat
#define CAMP_NAME half
#define CAMP_PAIR_NAME half2
#include "camp_sim/float16_type.inc"
// The functions below need the type complete.
#include "camp_sim/float16_convert.inc"
#include "camp_sim/float16_math.inc"
// Loads, stores and atomics of both.
#include "camp_sim/float16_memory.inc"
#undef CAMP_FLOAT16
#undef CAMP_FLOAT16_PAIR
#undef CAMP_FLOAT16_RAW
#undef CAMP_FLOAT16_FORMAT
#undef CAMP_NAME
#undef CAMP_PAIR_NAME

using half = __half;
using half2 = __half2;

#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7c00u))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7fffu))
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(static_cast<unsigned short>(0x0001u))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7bffu))
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x8000u))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000u))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3c00u))
