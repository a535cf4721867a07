// solution_relu.cu: the shipped relu and the elementwise framework under it.
#include "../../../../ops/relu/nvidia/kernel.cuh"

#include "rows.cuh"

// Of rows * columns elements; x is read with the steps given.
static camp::ElementwisePlan<1> plan_of(int64_t rows, int64_t columns, int64_t row_step,
                                        int64_t column_step) {
  camp::ElementwisePlan<1> plan;
  plan.n = rows * columns;
  plan.axes = 2;
  plan.extent[0] = rows;
  plan.extent[1] = columns;
  plan.step[0][0] = columns;
  plan.step[0][1] = 1;
  plan.step[1][0] = row_step;
  plan.step[1][1] = column_step;
  return plan;
}

static camp::ElementwisePlan<1> contiguous_plan(int64_t n) {
  camp::ElementwisePlan<1> plan;
  plan.n = n;
  plan.axes = 1;
  plan.contiguous = true;
  plan.extent[0] = n;
  plan.step[0][0] = plan.step[1][0] = 1;
  return plan;
}

int main() {
  auto *x = device_memory<float>(1 << 15), *y = device_memory<float>(1 << 15);
  const auto half = [](float *p) { return reinterpret_cast<__half *>(p); };
  ROW(relu_f32_4096, launch_relu(y, x, contiguous_plan(4096), 0.25f, nullptr));
  ROW(relu_f32_4099_offset, launch_relu(y + 1, x + 1, contiguous_plan(4099), 0.25f, nullptr));
  ROW(relu_f16_5000, launch_relu(half(y), half(x), contiguous_plan(5000), 0.0f, nullptr));
  ROW(relu_f32_transposed, launch_relu(y, x, plan_of(64, 32, 1, 64), 0.0f, nullptr));
  ROW(relu_f32_padded_rows, launch_relu(y, x, plan_of(64, 36, 40, 1), 0.0f, nullptr));
  ROW(relu_f32_one_row_for_all, launch_relu(y, x, plan_of(32, 64, 0, 1), 0.0f, nullptr));
  return 0;
}
