"""What the lessons promise: after the first steps an exercise passes, and before them it is graded.

The code of each step is what its last hint comes to, in its plainest form.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from camp.exercises import scaffold
from camp.grading.check import check
from camp.grading.verdict import Verdict
from camp.workspace import Workspace

# operator -> TODO number -> code, for those steps after which the lesson says that it should pass.
STEPS: dict[str, dict[int, str]] = {
    "copy": {
        1: """
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = thread; i < n; i += threads) y[i] = x[i];
""",
        2: """
  if (n == 0) return;
  copy_kernel<T><<<camp::blocks_for(n, 256), 256, 0, stream>>>(y, x, n);
""",
    },
    "vector_add": {
        1: """
template <typename T>
__device__ T add(T a, T b) {
  return camp::from_float<T>(camp::to_float(a) + camp::to_float(b));
}
""",
        2: """
  for (int64_t i = camp::grid_thread(); i < n; i += camp::grid_threads()) z[i] = add(a[i], b[i]);
""",
        3: """
  if (n == 0) return;
  vector_add_kernel<T><<<camp::blocks_for(n, 256), 256, 0, stream>>>(z, a, b, n);
""",
    },
    "reduce_sum": {
        1: """
  for (int offset = kWidth / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
""",
        2: """
  __shared__ float sums[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  value = warp_sum(value);
  if (lane == 0) sums[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < warps ? sums[lane] : 0.0f);
""",
        3: """
  for (int64_t i = lane; i < n; i += kLanes) sum += camp::to_float(x[i]);
""",
        4: """
  const int64_t row = blockIdx.x;
  const float mine = lane_sum<kThreads>(x + row * cols, cols, threadIdx.x);
  const float sum = block_sum<kThreads>(mine);
  if (threadIdx.x == 0) y[row] = camp::from_float<T>(sum);
""",
        5: """
  if (rows == 0) return;
  reduce_sum_kernel<256><<<static_cast<unsigned>(rows), 256, 0, stream>>>(y, x, cols);
""",
    },
    "softmax": {
        1: """
  constexpr int width = kLanes < 32 ? kLanes : 32;
  const float max = camp::warp_max<width>(mine.max);
  mine.sum = camp::warp_sum<width>(mine.sum * shrink(mine.max, max));
  mine.max = max;
  if constexpr (kLanes > 32) {
    __shared__ Moments shared[kLanes / 32];
    const int lane = threadIdx.x % 32;
    if (lane == 0) shared[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = lane < kLanes / 32 ? shared[lane] : Moments{-INFINITY, 0.0f};
    mine = group_moments<32>(mine);
  }
""",
        2: """
  const T *x_row = x + blockIdx.x * cols;
  T *y_row = y + blockIdx.x * cols;
  Moments mine{-INFINITY, 0.0f};
  for (int64_t i = threadIdx.x; i < cols; i += kThreads) {
    const float value = camp::to_float(x_row[i]);
    const float max = fmaxf(mine.max, value * camp::kLog2e);
    mine.sum = mine.sum * shrink(mine.max, max) + exp_below(value, max);
    mine.max = max;
  }
  const Moments row = group_moments<kThreads>(mine);
  for (int64_t i = threadIdx.x; i < cols; i += kThreads) {
    y_row[i] = camp::from_float<T>(exp_below(camp::to_float(x_row[i]), row.max) / row.sum);
  }
""",
        3: """
  if (rows == 0 || cols == 0) return;
  softmax_kernel<T, 256, 1><<<static_cast<unsigned>(rows), 256, 0, stream>>>(y, x, cols);
""",
    },
}


def with_steps(text: str, steps: dict[int, str]) -> str:
    for number, code in steps.items():
        text, count = re.subn(
            rf"^ *// TODO\(camp\) {number}: .*\n", lambda _, code=code: code, text, flags=re.M
        )
        assert count == 1, f"TODO {number} is there {count} times"
    return text


@pytest.mark.parametrize("op", STEPS)
def test_the_first_steps_pass(root: Path, tmp_path: Path, op: str) -> None:
    kernel = tmp_path / "kernel.cuh"
    kernel.write_text(with_steps(scaffold(root, op), STEPS[op]))
    result = check(Workspace(root), op, backend="sim", kernel=kernel)
    assert result.verdict is Verdict.PASS, result.first_failure


@pytest.mark.parametrize("op", STEPS)
def test_a_scaffold_with_nothing_done_builds_and_is_told_so(
    root: Path, tmp_path: Path, op: str
) -> None:
    kernel = tmp_path / "kernel.cuh"
    kernel.write_text(scaffold(root, op))
    assert check(Workspace(root), op, backend="sim", kernel=kernel).verdict is Verdict.NOT_STARTED
    kernel.write_text(scaffold(root, op) + "// my first line\n")
    result = check(Workspace(root), op, backend="sim", kernel=kernel)
    assert result.verdict is Verdict.LAUNCH
    assert result.first_failure is not None
    assert result.first_failure.message == "no kernel was launched"
