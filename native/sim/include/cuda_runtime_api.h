// cuda_runtime_api.h: the host functions of CUDA's runtime.
#pragma once

#include "camp_sim/api.h"
