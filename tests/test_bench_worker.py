"""test_bench_worker: the timing path of the worker end to end, on the simulator's device, whose
times mean nothing: buffers, poison, sampling, the verified set, and a kernel that cheats."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from camp.build import build_variants, ensure_built
from camp.errors import BuildError
from camp.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent

# Small buffers and short times, in a process of its own: the worker loads learner code.
SCRIPT = """
import json, sys
import camp.bench.gpu as gpu, camp.bench.plan as plan, camp.bench.protocol as protocol
plan.MIN_TOTAL_BYTES, plan.L2_MULTIPLE = 1 << 16, 0
gpu.MAX_ATTEMPTS, gpu.MAX_DELAY_COPIES = 1, 1
protocol.WARM_UP_US, protocol.MAX_CALLS = 0.0, 3
from camp.bench.cases import load_cases, BenchCase
from camp.bench.verify import difference
from camp.bench.worker import Worker
from camp.spec import load_spec
from pathlib import Path
request = json.loads(sys.argv[1])
root = Path(request["root"])
worker = Worker(request)
case = BenchCase("small", "f32", {"y": (5000,), "x": (5000,)})
message = {"case": {"name": "small", "dtype": "f32", "shapes": {"y": [5000], "x": [5000]},
                    "attributes": {}}, "limit_s": 0.0}
answer = worker.time(message)
module, spec = load_cases(root, request["op"]), load_spec(root, request["op"])
answer["differences"] = [
    difference(module, spec, case, request["seed"], index, worker.sets.read("y", index))
    for index in answer["verifiable"]
]
print(json.dumps(answer))
"""


def run(op: str, library: Path, runtime: Path) -> dict[str, Any]:
    request = {
        "root": str(ROOT),
        "op": op,
        "runtime": str(runtime),
        "library": str(library),
        "seed": 11,
        "arena": os.memfd_create("unused"),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(request)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.fixture(scope="module")
def runtime() -> Path:
    workspace = Workspace(ROOT)
    ensure_built(workspace, "sim", ["relu"])
    return workspace.build_dir("sim") / "libcamp_runtime.so"


def test_a_right_kernel_is_sampled_and_verified(runtime: Path) -> None:
    answer = run("relu", runtime.with_name("libcamp_op_relu.so"), runtime)
    assert answer["sets"] == 4  # 64 KiB in sets of 40 kB, but never fewer than 4
    samples = answer["samples"]
    assert {"kernel", "copy"} <= set(samples)
    for found in samples.values():
        assert len(found["samples_us"]) >= 31
        assert all(value > 0 for value in found["samples_us"])
    assert 1 <= len(answer["verifiable"]) <= 4
    assert answer["differences"] == [""] * len(answer["verifiable"])


CHEAT = """\
#pragma once
#include <cuda_runtime.h>
#include <cstdint>

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

// Honest for twenty calls, then idle.
template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  static int calls = 0;
  if (n == 0 || ++calls > 20) return;
  copy_kernel<T><<<(n + 255) / 256, 256, 0, stream>>>(y, x, n);
}
"""


def test_a_kernel_that_stops_working_is_found(runtime: Path, tmp_path: Path) -> None:
    path = tmp_path / "kernel.cuh"
    path.write_text(CHEAT)
    [library] = build_variants(Workspace(ROOT), "sim", [("copy", path)]).values()
    assert not isinstance(library, BuildError)
    answer = run("copy", library, runtime)
    assert all("wrong" in sentence for sentence in answer["differences"])
    assert answer["differences"]
