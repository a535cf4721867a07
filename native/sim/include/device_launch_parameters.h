// device_launch_parameters.h: declares threadIdx and its family, which cuda_runtime.h does as well.
#pragma once

#include "cuda_runtime.h"
