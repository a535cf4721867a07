"""test_worker: the timing path of the worker end to end, on the simulator's device, whose
times mean nothing: buffers, poison, sampling, the verified set, and a kernel that cheats."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from camp.bench.worker.timing import require_usable
from camp.build import build_variants, ensure_built
from camp.errors import BuildError, DeviceError
from camp.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]

# Small buffers and short times, in a process of its own: the worker loads learner code.
SCRIPT = """
import json, sys
import camp.bench.host as host, camp.bench.plan as plan, camp.bench.protocol as protocol
import camp.bench.stopwatch as stopwatch
plan.MIN_TOTAL_BYTES, plan.L2_MULTIPLE = 1 << 16, 0
stopwatch.MAX_ATTEMPTS, stopwatch.MAX_DELAY_COPIES = 1, 1
stopwatch.MIN_LOAD_BYTES, stopwatch.LOAD_OVER_L2 = 1 << 16, 0
options = json.loads(sys.argv[2])
protocol.WARM_UP_US, protocol.SLOW_CALL_US = 0.0, 1e9
protocol.SHORT_CALL_US = options["short_call_us"]
protocol.SAMPLE_US, protocol.MAX_CALLS = 1e12, 4
host.CALLS, host.BATCHES = 2, 1
from camp.bench.cases import load_cases, BenchCase
from camp.bench.verify import answer
from camp.bench.worker.worker import Worker
from pathlib import Path
request = json.loads(sys.argv[1])
worker = Worker(request)
case = BenchCase("small", "f32", {"y": (5000,), "x": (5000,)})
message = {"case": {"name": "small", "dtype": "f32", "shapes": {"y": [5000], "x": [5000]},
                    "attributes": {}}, "limit_s": 0.0, "hot": options["hot"]}
told = worker.time(message)
module = load_cases(Path(request["root"]), request["op"])
told["differences"] = []
for index in told["verifiable"]:
    expected = answer(module, worker.spec, case, request["seed"], index)
    parts = [worker.sets.read("y", index, rows) for rows in expected.rows]
    told["differences"].append(expected.wrong(parts))
print(json.dumps(told))
"""


def run(
    op: str, library: Path, runtime: Path, *, hot: bool = False, short_call_us: float = 1e9
) -> dict[str, Any]:
    """The worker's answer. Calls shorter than `short_call_us` are replayed from a graph."""
    options = {"hot": hot, "short_call_us": short_call_us}
    request = {
        "root": str(ROOT),
        "op": op,
        "runtime": str(runtime),
        "library": str(library),
        "seed": 11,
        "beside": {},
        "peers": [],
        "arena": os.memfd_create("unused"),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(request), json.dumps(options)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


@pytest.fixture(scope="module")
def runtime() -> Path:
    workspace = Workspace(ROOT)
    ensure_built(workspace, "sim", ["relu"])
    return workspace.build_dir("sim") / "libcamp_runtime.so"


def test_a_right_kernel_is_sampled_and_verified(runtime: Path) -> None:
    told = run("relu", runtime.with_name("libcamp_op_relu.so"), runtime)
    assert told["sets"] == 4  # 64 KiB in sets of 40 kB, but never fewer than 4
    assert (told["ceiling_kind"], set(told["ceilings"])) == ("copy", {"copy"})
    for found in (told["kernel"], told["ceilings"]["copy"]):
        assert len(found["samples_us"]) >= 31
        assert all(value > 0 for value in found["samples_us"])
    assert (told["kernel"]["method"], told["kernel"]["calls_per_sample"]) == ("graph", 4)
    assert told["verifiable"] == [0, 1, 2, 3]
    assert told["differences"] == [""] * 4
    assert told["host"]["kernel_us"] > 0


def test_hot_calls_stay_on_one_set(runtime: Path) -> None:
    told = run("relu", runtime.with_name("libcamp_op_relu.so"), runtime, hot=True)
    assert (told["sets"], told["verifiable"], told["differences"]) == (1, [0], [""])


CHEAT = """\
#pragma once
#include <cuda_runtime.h>
#include <cstdint>

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

// Honest for some calls, then idle.
template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  static int calls = 0;
  if (n == 0 || ++calls > HONEST_CALLS) return;
  copy_kernel<T><<<(n + 255) / 256, 256, 0, stream>>>(y, x, n);
}
"""


@pytest.mark.parametrize(
    ("honest_calls", "short_call_us", "method"),
    [
        pytest.param(5, 1e9, "graph", id="before it is captured"),
        pytest.param(20, 0.0, "events", id="while it is timed"),
    ],
)
def test_a_kernel_that_stops_working_is_found(
    runtime: Path, tmp_path: Path, honest_calls: int, short_call_us: float, method: str
) -> None:
    path = tmp_path / "kernel.cuh"
    path.write_text(CHEAT.replace("HONEST_CALLS", str(honest_calls)))
    [library] = build_variants(Workspace(ROOT), "sim", [("copy", path)]).values()
    assert not isinstance(library, BuildError)
    told = run("copy", library, runtime, short_call_us=short_call_us)
    assert told["kernel"]["method"] == method
    assert told["differences"]
    assert all("wrong" in sentence for sentence in told["differences"])


class BrokenDevice:
    """A device whose stream fails from the moment it is told to."""

    stream = 0

    def __init__(self, broken: bool) -> None:
        self.runtime, self.broken = self, broken

    def stream_synchronize(self, stream: int) -> None:
        if self.broken:
            raise DeviceError("an illegal memory access was encountered", status="DEVICE_ERROR")


def test_a_peer_that_breaks_the_device_is_named_and_not_the_kernel() -> None:
    left_out = ["CuPy is left out: it raised RuntimeError: illegal memory access"]
    rig: Any = BrokenDevice(broken=True)
    with pytest.raises(DeviceError, match=r"before the kernel ran: .*; CuPy is left out"):
        require_usable(rig, left_out)
    rig.broken = False
    require_usable(rig, left_out)
