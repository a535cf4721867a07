"""test_gpu: the protocol on a real device, with kernels whose verdict is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.bench.measure import measure
from camp.bench.results import CaseResult, Outcome
from camp.build import build_bench, build_variants
from camp.errors import BuildError
from camp.grading.check import runtime_library
from camp.workspace import Workspace

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).resolve().parents[2]
CASE = "2^20 f32"  # 8 MiB, a few microseconds

KERNEL = """\
#pragma once
#include <cuda_runtime.h>
#include <cstdint>

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  LAUNCH
}
"""
BLOCKS = "(n + 255) / 256"
ON_STREAM = f"copy_kernel<T><<<{BLOCKS}, 256, 0, stream>>>(y, x, n);"
# Enough honest calls for the warm-up of 25 ms, none for the graph.
TIRED = f"static int calls = 0;\n  if (++calls > 50) return;\n  {ON_STREAM}"
WAITING = f"{ON_STREAM}\n  cudaStreamSynchronize(stream);"
ELSEWHERE = f"copy_kernel<T><<<{BLOCKS}, 256>>>(y, x, n);"
LAZY = f"copy_kernel<T><<<({BLOCKS}) / 2, 256, 0, stream>>>(y, x, n);"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CaseResult]:
    """Each of the launches above, measured."""
    workspace = Workspace(ROOT)
    paths = {}
    for name in ("ON_STREAM", "TIRED", "WAITING", "ELSEWHERE", "LAZY"):
        paths[name] = tmp_path_factory.mktemp(name) / "kernel.cuh"
        paths[name].write_text(KERNEL.replace("LAUNCH", globals()[name]))
    built = build_variants(workspace, "nvidia", [("copy", path) for path in paths.values()])
    beside, results = build_bench(workspace, "copy"), {}
    for name, path in paths.items():
        library = built["copy", path]
        assert not isinstance(library, BuildError)
        libraries = {"copy": library, "runtime": runtime_library(workspace, "nvidia")}
        measured = measure(
            workspace,
            "copy",
            "nvidia",
            libraries,
            kernel=path,
            case_names=[CASE],
            peers=["cub"],
            beside=beside,
        )
        [results[name]] = measured.cases
    return results


def test_a_right_kernel_is_timed_in_a_graph(found: dict[str, CaseResult]) -> None:
    case = found["ON_STREAM"]
    assert (case.outcome, case.message) == (Outcome.OK, "")
    assert case.kernel is not None
    assert (case.kernel.method, case.kernel.summary.n >= 31) == ("graph", True)
    assert case.percent_of_ceiling is not None
    assert 0.0 < case.percent_of_ceiling <= 102.0
    assert case.host is not None
    assert case.host.floor_us is not None


def test_a_kernel_that_waits_or_launches_elsewhere_is_timed_by_events(
    found: dict[str, CaseResult],
) -> None:
    for name in ("WAITING", "ELSEWHERE"):
        case = found[name]
        assert case.kernel is not None, name
        assert case.kernel.method == "events", name
        assert any("cannot be captured in a graph" in note for note in case.notes), name


@pytest.mark.parametrize("name", ["TIRED", "LAZY"])
def test_work_left_undone_is_no_time(found: dict[str, CaseResult], name: str) -> None:
    assert found[name].outcome is Outcome.WRONG
