// error.cc: the text of a result.
#include <cuda_runtime.h>

#include "camp_bench.h"

const char *camp_bench_error(int status) {
  return cudaGetErrorString(static_cast<cudaError_t>(status));
}
