// backend_nvidia.cc: what surrounds an execute on a GPU: nothing. The driver checks launches alone,
// and what it says is read in the operator's own library (ops/common/operator.hpp), whose CUDA
// runtime is another than this one's.
#include "backend.hpp"

#include <cuda_runtime.h>

namespace camp::backend {

void begin(const char *, const Binding *, size_t) {}

camp_status_t finish() {
  return CAMP_STATUS_SUCCESS;
}

void clear(void *workspace, size_t bytes, camp_stream_t stream) {
  (void)cudaMemsetAsync(workspace, 0, bytes, static_cast<cudaStream_t>(stream));
  (void)cudaGetLastError();
}

}  // namespace camp::backend
