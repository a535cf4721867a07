// cuda_bf16.h: __nv_bfloat16, __nv_bfloat162 and their functions.
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

#define CAMP_FLOAT16 __nv_bfloat16
#define CAMP_FLOAT16_PAIR __nv_bfloat162
#define CAMP_FLOAT16_RAW __nv_bfloat16_raw
#define CAMP_FLOAT16_FORMAT BfloatFormat
#define CAMP_NAME bfloat16
#define CAMP_PAIR_NAME bfloat162
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

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f80u))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7fffu))
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0001u))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f7fu))
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x8000u))
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000u))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3f80u))
