// cuda_runtime.h: everything a kernel file expects from CUDA's header of this name.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "camp_sim/qualifiers.h"

#include "vector_functions.h"
#include "vector_types.h"

#include "camp_sim/api.h"
#include "camp_sim/warp.h"

#include "camp_sim/launch.h"
#include "camp_sim/launch_functions.h"
#include "camp_sim/shared.h"

#include "camp_sim/atomics.h"
#include "camp_sim/casts.h"
#include "camp_sim/fused_minmax.h"
#include "camp_sim/integer_math.h"
#include "camp_sim/math.h"
#include "camp_sim/memory.h"
#include "camp_sim/simd_words.h"
#include "camp_sim/trap.h"
