// cuda_fp16.h: the name and the size of CUDA's half, for tests of the runtime.
#pragma once

struct __half {
  unsigned short bits;
};
