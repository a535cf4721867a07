// cuda_bf16.h: the name and the size of CUDA's bfloat16, for tests of the runtime.
#pragma once

struct __nv_bfloat16 {
  unsigned short bits;
};
