// fake_operators.cc: the operators of fake_operators.hpp, as <op>_cuda.cu files define theirs.
#include "fake_operators.hpp"

#include <cstdlib>
#include <stdexcept>

#include "common/operator.hpp"

namespace fake_operators {

Act act = Act::nothing;
int device_seen = -1;
int states_alive = 0;

namespace {

struct ScaledSum {
  static constexpr char name[] = "scaled_sum";
  static constexpr camp_tensor_spec_t tensors[] = {{"y", CAMP_ROLE_OUTPUT}, {"x", CAMP_ROLE_INPUT}};
  static constexpr camp_attribute_spec_t attributes[] = {{"slope", CAMP_ATTRIBUTE_F64, {2.0}}};

  double slope;
  int64_t rows;
  int64_t cols;

  static ScaledSum create(const camp::Tensor *t, const camp_attribute_value_t *values) {
    const camp::Tensor &y = t[0];
    const camp::Tensor &x = t[1];
    camp::require_dtype(x, {CAMP_DTYPE_F32});
    camp::require_same_dtype(y, x);
    camp::require_rank(x, 2, 2);
    camp::require_rank(y, 1, 1);
    if (y.shape(0) != x.shape(0)) {
      throw camp::Error(CAMP_STATUS_SHAPE_MISMATCH, "y has not the rows of x");
    }
    camp::require_contiguous(x);
    camp::require_contiguous(y);
    return {values[0].f64, x.shape(0), x.shape(1)};
  }

  size_t workspace_bytes() const { return sizeof(float) * static_cast<size_t>(rows); }

  void launch(const camp::LaunchArguments &args) const {
    if (args.workspace_bytes != workspace_bytes()) throw std::logic_error("workspace size");
    float *partial = static_cast<float *>(args.workspace);
    const float *x = args.pointer<const float>(1);
    for (int64_t row = 0; row < rows; ++row) {
      partial[row] = 0.0F;
      for (int64_t col = 0; col < cols; ++col)
        partial[row] += x[row * cols + col];
      args.pointer<float>(0)[row] = static_cast<float>(slope) * partial[row];
    }
  }
};

// Not trivially copyable, so that a state constructed, moved or destroyed wrongly shows.
class Counted {
 public:
  Counted() { ++states_alive; }
  Counted(Counted &&) noexcept { ++states_alive; }
  Counted &operator=(Counted &&) = delete;
  ~Counted() { --states_alive; }
};

struct alignas(64) Idle {
  static constexpr char name[] = "idle";
  static constexpr camp_tensor_spec_t tensors[] = {{"y", CAMP_ROLE_OUTPUT}, {"x", CAMP_ROLE_INPUT}};

  Counted counted;

  static Idle create(const camp::Tensor *t, const camp_attribute_value_t *) {
    camp::require_same_shape(t[0], t[1]);
    camp::require_same_dtype(t[0], t[1]);
    if (act == Act::throw_error) throw camp::Error(CAMP_STATUS_UNSUPPORTED_LAYOUT, "not today");
    return {};
  }

  void launch(const camp::LaunchArguments &) const {
    cudaGetDevice(&device_seen);
    switch (act) {
      case Act::nothing:
        break;
      case Act::throw_error:
        throw camp::Error(CAMP_STATUS_DEVICE_ERROR, "thrown in launch");
      case Act::throw_standard:
        throw std::runtime_error("a standard exception");
      case Act::throw_number:
        throw 7;
      case Act::refuse_launch:
        fake_cuda::last_error = cudaErrorInvalidConfiguration;
        break;
      case Act::exhaust:
        fake_cuda::last_error = cudaErrorMemoryAllocation;
        break;
      case Act::fault:
        fake_cuda::sticky = cudaErrorIllegalAddress;
        break;
      case Act::allocate: {
        void *volatile block = std::malloc(16);  // or else the compiler leaves both away
        std::free(block);
        break;
      }
      case Act::wait:
        cudaDeviceSynchronize();
        break;
    }
  }
};

struct InPlace {
  static constexpr char name[] = "in_place";
  static constexpr camp_tensor_spec_t tensors[] = {{"y", CAMP_ROLE_OUTPUT}, {"x", CAMP_ROLE_INPUT}};
  static constexpr bool may_alias = true;
  static InPlace create(const camp::Tensor *, const camp_attribute_value_t *) { return {}; }
  void launch(const camp::LaunchArguments &) const {}
};

}  // namespace
}  // namespace fake_operators

CAMP_DEFINE_OPERATOR(scaled_sum, fake_operators::ScaledSum);
CAMP_DEFINE_OPERATOR(idle, fake_operators::Idle);
CAMP_DEFINE_OPERATOR(in_place, fake_operators::InPlace);

camp_status_t camp_scaled_sum_create(camp_operator_t **op, const camp_handle_t *handle,
                                     const camp_tensor_descriptor_t *y,
                                     const camp_tensor_descriptor_t *x, double slope) {
  return camp::create<fake_operators::ScaledSum>(handle, {y, x}, {camp::attribute_f64(slope)}, op);
}

camp_status_t camp_scaled_sum_execute(const camp_operator_t *op, void *workspace,
                                      size_t workspace_bytes, void *y, const void *x) {
  return camp::execute<fake_operators::ScaledSum>(op, workspace, workspace_bytes, {y, x});
}

camp_status_t camp_idle_create(camp_operator_t **op, const camp_handle_t *handle,
                               const camp_tensor_descriptor_t *y,
                               const camp_tensor_descriptor_t *x) {
  return camp::create<fake_operators::Idle>(handle, {y, x}, {}, op);
}

camp_status_t camp_idle_execute(const camp_operator_t *op, void *workspace, size_t workspace_bytes,
                                void *y, const void *x) {
  return camp::execute<fake_operators::Idle>(op, workspace, workspace_bytes, {y, x});
}
