// relu.cu: y[n] = x > 0 ? x : x * slope. arrays {y, x}, extents {n}, attributes {slope}.
#include "transform.cuh"

#include "common/dtype.cuh"

namespace {

template <typename T>
struct Relu {
  float slope;
  __device__ T operator()(T x) const {
    const float value = camp::to_float(x);
    return camp::from_float<T>(value > 0.0f ? value : value * slope);
  }
};

}  // namespace

CAMP_API int camp_bench_cub(void *workspace, size_t *workspace_bytes, void *const *arrays,
                            const int64_t *extents, const double *attributes, camp_dtype_t dtype,
                            void *stream) {
  const float slope = static_cast<float>(attributes[0]);
  return camp_bench::transform<1>(
      workspace, workspace_bytes, arrays, extents[0], dtype, stream,
      [slope](auto type) { return Relu<typename decltype(type)::type>{slope}; });
}
