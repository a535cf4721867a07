// solution_reduce_sum.cu: the shipped reduce_sum, but for rows in parts: how often its last block
// asks for the sums of the others is not the same in two runs.
#include "../../../../exercises/reduce_sum/solution/kernel.cuh"

#include "rows.cuh"

template <typename T>
static void sum(T *y, const T *x, int64_t rows, int64_t cols) {
  const size_t bytes = reduce_sum_workspace_bytes(rows, cols);
  float *workspace = device_memory<float>(bytes / sizeof(float) + 1);
  launch_reduce_sum(y, x, rows, cols, workspace, bytes, nullptr);
}

int main() {
  auto *x = device_memory<float>(1 << 16), *y = device_memory<float>(1 << 10);
  const auto half = [](float *p) { return reinterpret_cast<__half *>(p); };
  ROW(reduce_sum_f32_64x17, sum(y, x, 64, 17));
  ROW(reduce_sum_f32_33x100, sum(y, x, 33, 100));
  ROW(reduce_sum_f32_16x1000, sum(y, x, 16, 1000));
  ROW(reduce_sum_f32_8x4096, sum(y, x, 8, 4096));
  ROW(reduce_sum_f16_16x1001, sum(half(y), half(x), 16, 1001));
  return 0;
}
