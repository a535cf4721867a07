// vector_add.cu: z[n] = a[n] + b[n], computed in float32. arrays {z, a, b}, extents {n}.
#include "transform.cuh"

#include "common/dtype.cuh"

namespace {

template <typename T>
struct Add {
  __device__ T operator()(T a, T b) const {
    return camp::from_float<T>(camp::to_float(a) + camp::to_float(b));
  }
};

}  // namespace

CAMP_API int camp_bench_cub(void *workspace, size_t *workspace_bytes, void *const *arrays,
                            const int64_t *extents, const double *, camp_dtype_t dtype,
                            void *stream) {
  return camp_bench::transform<2>(workspace, workspace_bytes, arrays, extents[0], dtype, stream,
                                  [](auto type) { return Add<typename decltype(type)::type>{}; });
}
