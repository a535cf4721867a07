// reduce_sum.cu: y[rows] = sum of x[rows, cols] over the last axis, accumulated in float32.
// arrays {y, x}, extents {rows, cols}.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>

#include "types.cuh"

namespace {

struct RowBegin {
  int64_t cols;
  __host__ __device__ int64_t operator()(int64_t row) const { return row * cols; }
};

template <typename T>
cudaError_t sum(void *workspace, size_t &bytes, T *y, const T *x, int64_t rows, int64_t cols,
                cudaStream_t stream) {
  const cuda::std::plus<float> plus;
  if (rows == 1) {
    return cub::DeviceReduce::Reduce(workspace, bytes, x, y, cols, plus, 0.0f, stream);
  }
  // Row offsets are computed, not read: memory traffic that a fair peer need not have.
  const auto begin =
      thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), RowBegin{cols});
  return cub::DeviceSegmentedReduce::Reduce(workspace, bytes, x, y, rows, begin, begin + 1, plus,
                                            0.0f, stream);
}

}  // namespace

CAMP_API int camp_bench_cub(void *workspace, size_t *workspace_bytes, void *const *arrays,
                            const int64_t *extents, const double *, camp_dtype_t dtype,
                            void *stream) {
  return camp_bench::for_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    return sum<T>(workspace, *workspace_bytes, static_cast<T *>(arrays[0]),
                  static_cast<const T *>(arrays[1]), extents[0], extents[1],
                  static_cast<cudaStream_t>(stream));
  });
}
