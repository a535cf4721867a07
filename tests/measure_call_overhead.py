"""measure_call_overhead: what calls cost the host, on an idle GPU and tiny tensors, by the bars.

    python tests/measure_call_overhead.py [--op relu ...]

For each operator, in batches of 400 calls on an idle device, interleaved; medians of the batches:
- a C loop that launches the operator's own kernels and does nothing else;
- a prepared call from Python, held against 1.1 times that loop + 0.3 us;
- op_(out, x) and op(x) on torch tensors, held against torch's own call that does the same.
Needs torch, nvcc and a GPU, and the operators built (`camp build --backend nvidia`, or
CAMP_BUILD_DIR).
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import importlib
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BATCHES = 40
CALLS = 400  # a launch queue takes 1024, so the host never waits for the device
ROWS, COLS = 8, 32

Call = Callable[[], Any]


def fastest_ns(call: Call, batches: int = 50, calls: int = 4000) -> float:
    """Nanoseconds of one call, without the loop's own cost."""
    rounds = range(calls)
    best, idle = float("inf"), float("inf")
    for _ in range(batches):
        start = time.perf_counter_ns()
        for _ in rounds:
            call()
        middle = time.perf_counter_ns()
        for _ in rounds:
            pass
        end = time.perf_counter_ns()
        best, idle = min(best, middle - start), min(idle, end - middle)
    return (best - idle) / calls


def prepared_overhead_ns(prepared: Any) -> tuple[float, float, float]:
    """(what Python adds, the Python call, the C call) of one prepared operator, in ns."""
    python = fastest_ns(prepared)
    direct = min(prepared.direct_ns(4000) for _ in range(50))
    return python - direct, python, direct


# ---- the table ----


@dataclass(frozen=True)
class Costs:
    """Medians of one operator, in microseconds a call."""

    op: str
    loop: float
    execute: float
    prepared: float
    into: float
    torch_into: float
    new: float
    torch_new: float

    @property
    def bar(self) -> float:
        return 1.1 * self.loop + 0.3

    def verdicts(self) -> list[tuple[str, float, float]]:
        """(what, its cost, what it must not exceed) of each bar."""
        return [
            ("prepared", self.prepared, self.bar),
            (f"{self.op}_", self.into, self.torch_into),
            (self.op, self.new, self.torch_new),
        ]


HEADER = (
    "| operator | C loop of launches | execute in C | prepared | bar | met "
    "| `op_(out, ...)` | torch | met | `op(...)` | torch | met |"
)


def row(costs: Costs) -> str:
    """One line of the table under HEADER."""
    met = ["yes" if cost <= bar else "no" for _, cost, bar in costs.verdicts()]
    cells = [
        *(f"{value:.2f}" for value in (costs.loop, costs.execute, costs.prepared, costs.bar)),
        met[0],
        *(f"{costs.into:.2f}", f"{costs.torch_into:.2f}", met[1]),
        *(f"{costs.new:.2f}", f"{costs.torch_new:.2f}", met[2]),
    ]
    return f"| {costs.op} | {' | '.join(cells)} |"


class LaunchLoop:
    """launch_loop.cc, compiled and loaded."""

    def __init__(self, folder: Path) -> None:
        from camp.toolchain import require_nvcc

        source = Path(__file__).resolve().parent / "native" / "gpu" / "launch_loop.cc"
        library = folder / "launch_loop.so"
        options = ["--shared", "-Xcompiler", "-fPIC", "-O2", "-std=c++17", "-ldl"]
        command = [str(require_nvcc().path), *options, str(source), "-o", str(library)]
        subprocess.run(command, check=True)
        self._library = ctypes.CDLL(str(library))
        self._library.launch_loop_ns.restype = ctypes.c_double

    def record(self, call: Call, stream: int) -> None:
        """Takes the kernels that `call` launches on the stream."""
        began = self._library.launch_loop_begin(ctypes.c_void_p(stream))
        call()
        if began != 0 or self._library.launch_loop_end(ctypes.c_void_p(stream)) < 1:
            raise RuntimeError("the call's kernels cannot be recorded")
        self.of_the_runtime = bool(self._library.launch_loop_is_of_the_runtime())

    def ns(self, stream: int, calls: int) -> float:
        """Nanoseconds of one round of them."""
        spent: float = self._library.launch_loop_ns(
            ctypes.c_void_p(stream), calls, int(self.of_the_runtime)
        )
        if spent < 0:
            raise RuntimeError("a launch was refused")
        return spent


def torch_calls(torch: Any, op: str, out: Any, inputs: list[Any]) -> tuple[Call, Call]:
    """torch's own call into `out` and into a new tensor. relu has no form that takes an output."""
    x = inputs[0]
    return {
        "copy": (lambda: out.copy_(x), lambda: x.clone()),
        "vector_add": (lambda: torch.add(x, inputs[1], out=out), lambda: torch.add(x, inputs[1])),
        "reduce_sum": (lambda: torch.sum(x, -1, out=out), lambda: torch.sum(x, -1)),
        "softmax": (lambda: torch.softmax(x, -1, out=out), lambda: torch.softmax(x, -1)),
        "relu": (lambda: torch.relu(x), lambda: torch.relu(x)),
    }[op]


def batch_ns(call: Call) -> float:
    """Nanoseconds of one call in a batch, the empty loop taken off."""
    rounds = range(CALLS)
    start = time.perf_counter_ns()
    for _ in rounds:
        call()
    middle = time.perf_counter_ns()
    for _ in rounds:
        pass
    return (2 * middle - start - time.perf_counter_ns()) / CALLS


def measure(op: str, loop: LaunchLoop) -> Costs:
    import camp

    torch: Any = importlib.import_module("torch")
    inputs = [torch.randn(ROWS, COLS, device="cuda") for _ in range(1 + (op == "vector_add"))]
    out = torch.empty(ROWS if op == "reduce_sum" else (ROWS, COLS), device="cuda")
    into, new = getattr(camp, f"{op}_"), getattr(camp, op)
    torch_into, torch_new = torch_calls(torch, op, out, inputs)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        prepared = getattr(camp, f"prepare_{op}")(out, *inputs)
        prepared()
        torch.cuda.synchronize()
        loop.record(prepared, stream.cuda_stream)
        calls: list[Callable[[], float]] = [
            lambda: loop.ns(stream.cuda_stream, CALLS),
            lambda: prepared.direct_ns(CALLS),
            lambda: batch_ns(prepared),
            lambda: batch_ns(lambda: into(out, *inputs)),
            lambda: batch_ns(torch_into),
            lambda: batch_ns(lambda: new(*inputs)),
            lambda: batch_ns(torch_new),
        ]
        samples: list[list[float]] = [[] for _ in calls]
        for batch in range(BATCHES + 2):
            for call, times in zip(calls, samples, strict=True):
                torch.cuda.synchronize()
                spent = call()
                if batch >= 2:  # the first ones load kernels and fill caches
                    times.append(spent / 1000)
        torch.cuda.synchronize()
    return Costs(op, *(statistics.median(times) for times in samples))


def main() -> None:
    from camp import ops, runtime

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--op", action="append", help="one operator, or several; all without it")
    options = parser.parse_args()
    runtime.load("nvidia")  # says what is missing
    torch: Any = importlib.import_module("torch")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {time.strftime('%Y-%m-%d')}")
    print(f"f32 ({ROWS}, {COLS}); us a call, medians of {BATCHES} batches of {CALLS}\n")
    print(HEADER)
    print("|---" * HEADER.count(" | ") + "|---|")
    missed = []
    gc.disable()
    with tempfile.TemporaryDirectory() as folder:
        loop = LaunchLoop(Path(folder))
        for op in options.op or ops.modules():
            costs = measure(op, loop)
            print(row(costs), flush=True)
            missed += [
                f"{what} by {cost - bar:.2f} us"
                for what, cost, bar in costs.verdicts()
                if cost > bar
            ]
    function = "cudaLaunchKernel" if loop.of_the_runtime else "cuLaunchKernel"
    print(f"\nthe C loop calls {function}; missed: {', '.join(missed) or 'no bar'}")


if __name__ == "__main__":
    main()
