"""profile.run: runs one call of a bench case under ncu and reads what it counted."""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from camp.apart_plan import PlannedCase, PlannedTensor, read_mark, write_plan
from camp.bench.cases import BenchCase, load_cases
from camp.bench.data import base_values
from camp.build_process import Progress
from camp.errors import CampError, ToolchainError, UsageError
from camp.exercises import is_untouched
from camp.grading.check import build_kernel, runtime_library
from camp.grading.prepared import draw_seed
from camp.guarded import Ended, Guarded
from camp.nvidia_tools import PROFILER, require_tool
from camp.profile.metrics import METRICS, KernelProfile, read_raw_page
from camp.profile.rules import Bottleneck, next_bottleneck
from camp.spec import load_spec
from camp.workspace import Workspace

LIMIT_S = 120.0
_DRAWN_ELEMENTS = 1 << 20  # repeated over longer tensors
# No clock is touched: `none` leaves the GPU as it is. Caches are emptied before each pass.
_OPTIONS = (
    *("--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none"),
    *("--cache-control", "all", "--profile-from-start", "off"),
)
_NO_PERMISSION = "ERR_NVGPUCTRPERM"


@dataclass(frozen=True)
class ProfileResult:
    """One call of one case. kernels: in the order of launch. slowest: the one that takes most of
    the call; bottleneck: what holds that one back, None where no rule applies."""

    op: str
    kernel: str
    case: BenchCase
    kernels: tuple[KernelProfile, ...]
    bottleneck: Bottleneck | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def slowest(self) -> KernelProfile:
        return max(self.kernels, key=lambda kernel: kernel.time_us or 0.0)

    def to_json(self) -> dict[str, Any]:
        return {
            "op": self.op,
            "backend": "nvidia",
            "kernel": self.kernel,
            "case": self.case.name,
            "minimum_bytes": self.case.minimum_bytes,
            "kernels": [asdict(kernel) for kernel in self.kernels],
            "slowest": self.slowest.name,
            "bottleneck": asdict(self.bottleneck) if self.bottleneck else None,
            "notes": list(self.notes),
        }


def profile(
    ws: Workspace,
    op: str,
    *,
    case: str | None = None,
    kernel: Path | None = None,
    on_build: Progress | None = None,
) -> ProfileResult:
    """Profiles one call of an operator on the backend nvidia.

    case: a name of tests/bench/<op>.py; None takes the first that its lesson is measured at.
    Raises ToolchainError where there is no GPU, nvcc or ncu, or the driver keeps its counters for
    administrators; UsageError for an unknown case; CampError for a kernel that fails.
    """
    path = (kernel or load_spec(ws.root, op).kernel).resolve()
    program = require_tool(PROFILER)
    chosen = find_case(ws, op, case)
    if path.is_file() and is_untouched(ws.root, op, path):
        raise CampError(
            f"{op} is not started: {path} is still the scaffold", hint=f"`camp hint {op}` helps"
        )
    library = build_kernel(ws, op, "nvidia", kernel, on_build)
    inputs = {tensor.name for tensor in load_spec(ws.root, op).inputs}
    planned = plan_case(chosen, inputs, draw_seed())
    kernels = run_profiler(program, op, runtime_library(ws, "nvidia"), library, planned)
    return judged(op, path, chosen, kernels)


def find_case(ws: Workspace, op: str, name: str | None) -> BenchCase:
    """The bench case of a name. Raises UsageError with the names that there are."""
    module = load_cases(ws.root, op)
    cases: dict[str, BenchCase] = {case.name: case for case in module.CASES}
    wanted = name or next(iter(getattr(module, "LADDER_CASES", ())), next(iter(cases)))
    if wanted not in cases:
        raise UsageError(f"{op} has no case '{wanted}'", hint=f"cases: {', '.join(cases)}")
    return cases[wanted]


def plan_case(case: BenchCase, inputs: set[str], seed: int) -> PlannedCase:
    """The case as the worker runs it; random values, the same again in a long tensor."""
    tensors = []
    for name, shape in case.shapes.items():
        size = case.bytes_of(name)
        tensors.append(
            PlannedTensor(
                name=name,
                dtype=case.dtype,
                shape=tuple(shape),
                size_bytes=size,
                values=_values(case, name, seed) if name in inputs else None,
            )
        )
    # The first call loads the code and finds what is kept for later calls.
    return PlannedCase(case.name, tuple(tensors), case.attributes, warm_ups=1)


def _values(case: BenchCase, name: str, seed: int) -> bytes:
    elements = int(np.prod(case.shapes[name]))
    short = BenchCase(case.name, case.dtype, {name: (min(elements, _DRAWN_ELEMENTS),)})
    return base_values(short, name, seed).tobytes()


def run_profiler(
    program: Path,
    op: str,
    runtime: Path,
    library: Path,
    case: PlannedCase,
    *,
    limit_s: float = LIMIT_S,
) -> list[KernelProfile]:
    """The kernels of one call, in order. Nothing outlives this call. Raises as profile() does."""
    mark = f"@camp-{secrets.token_hex(8)}"
    with tempfile.TemporaryDirectory(prefix="camp-profile-") as name:
        folder = Path(name)
        worker = write_plan(
            folder, op=op, runtime=runtime, library=library, mark=mark, cases=[case]
        )
        page = folder / "page.csv"
        command = [str(program), *_OPTIONS, "--metrics", ",".join(METRICS)]
        command += ["--log-file", str(page), *worker]
        with Guarded(command, cwd=folder, log=folder / "output.txt") as process:
            ended = process.finish(time.monotonic() + limit_s)
        said = page.read_text(encoding="utf-8", errors="replace") if page.exists() else ""
    kernels = read_raw_page(said)
    _require_success(ended, said, mark, kernels, limit_s)
    return kernels


def judged(op: str, path: Path, case: BenchCase, kernels: Sequence[KernelProfile]) -> ProfileResult:
    """The result with its bottleneck: of the kernel that takes most of the call."""
    result = ProfileResult(op, str(path), case, tuple(kernels))
    # The minimum is that of the call: it holds for a kernel that does all of it.
    minimum = float(case.minimum_bytes) if len(kernels) == 1 else 0.0
    notes = []
    if result.slowest.time_us is None:
        notes.append("ncu gave no time: this GPU's counters have other names")
    return ProfileResult(
        op,
        str(path),
        case,
        tuple(kernels),
        next_bottleneck(result.slowest, minimum),
        tuple(notes),
    )


def _require_success(
    ended: Ended, said: str, mark: str, kernels: Sequence[KernelProfile], limit_s: float
) -> None:
    words = said + ended.output
    if _NO_PERMISSION in words:
        raise ToolchainError(
            "the driver keeps the GPU's performance counters for administrators "
            f"({_NO_PERMISSION})",
            hint="ask whoever runs this machine to load the NVIDIA driver with "
            "NVreg_RestrictProfilingToAdminUsers=0, or run this as root",
        )
    marks = [told for line in ended.output.splitlines() if (told := read_mark(line, mark))]
    end = next((told for told in marks if "end" in told), None)
    if end is not None and end.get("status") != "SUCCESS":
        raise CampError(
            f"the call failed: {end.get('status')}: {end.get('message')}",
            hint="`camp check` says why",
        )
    if ended.flooded:
        raise CampError("the kernel's code prints without end", hint="`camp check` says why")
    if ended.timed_out:
        raise CampError(
            f"no answer within {limit_s:g} s: a loop in the kernel may not end",
            hint="`camp check` says why",
        )
    if end is None and marks:
        raise CampError(
            "the process that ran the kernel ended during the call", hint="`camp check` says why"
        )
    if end is not None and not kernels and "No kernels were profiled" in words:
        raise CampError("the call launched no kernel", hint="`camp check` says why")
    if end is None or not kernels:
        raise ToolchainError(f"{PROFILER} ended without an answer: {_last_words(ended, words)}")


def _last_words(ended: Ended, words: str) -> str:
    """ncu's own complaint, else the last line, else how it ended."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("==ERROR==")]
    for line in [*errors, *reversed(lines)]:
        return line.removeprefix("==ERROR==").strip()
    return f"signal {ended.signal}" if ended.signal else f"exit code {ended.code}"
