// transform.cuh: y[n] = f(x[n], ...) by cub::DeviceTransform, which needs no temporary storage.
#pragma once

#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>

#include "types.cuh"

namespace camp_bench {

// `make(Type<T>{})` gives the function of each element type; `arrays` holds y and then the inputs.
template <int Inputs, typename Make>
cudaError_t transform(void *workspace, size_t *workspace_bytes, void *const *arrays, int64_t n,
                      camp_dtype_t dtype, void *stream, Make make) {
  if (workspace == nullptr) {
    *workspace_bytes = 0;
    return cudaSuccess;
  }
  return for_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    T *const y = static_cast<T *>(arrays[0]);
    const T *const x = static_cast<const T *>(arrays[1]);
    const auto function = make(type);
    const auto queue = static_cast<cudaStream_t>(stream);
    if constexpr (Inputs == 1) {
      return cub::DeviceTransform::Transform(x, y, n, function, queue);
    } else {
      const auto inputs = cuda::std::make_tuple(x, static_cast<const T *>(arrays[2]));
      return cub::DeviceTransform::Transform(inputs, y, n, function, queue);
    }
  });
}

}  // namespace camp_bench
