"""measure: runs the cases of one operator in a worker, verifies outputs, judges the times.

The answers are computed here, from the seed; the worker never holds them.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from camp.bench.cases import BenchCase, load_cases
from camp.bench.data import Storage, set_values
from camp.bench.plan import impossible, peak_bytes_per_second
from camp.bench.results import BenchResult, CaseResult, Outcome, Timed
from camp.bench.session import WorkerSession
from camp.bench.statistics import summarize
from camp.bench.traffic import summarize as summarize_traffic
from camp.errors import EnvironmentProblem, KernelFault, RuntimeStatusError, UsageError
from camp.spec import OpSpec, load_spec
from camp.workspace import Workspace

TOO_NOISY_SPREAD = 0.20
WINDOW_ELEMENTS = 1 << 20
_CLOCKS = "clocks.sm,clocks.mem,clocks_event_reasons.active"


def measure(
    workspace: Workspace,
    op: str,
    backend: str,
    libraries: Mapping[str, Path],
    *,
    case_names: Sequence[str] | None = None,
    seed: int | None = None,
    limit_s: float = 5.0,
    on_case: Callable[[BenchCase, int, int], None] = lambda case, number, total: None,
) -> BenchResult:
    """Measures an operator that is built. `libraries` is {"runtime": path, op: path}.

    `case_names` picks cases (default: all), `limit_s` bounds the sampling of one case. Raises
    UsageError for an unknown case and EnvironmentProblem where there is no device.
    """
    module, spec = load_cases(workspace.root, op), load_spec(workspace.root, op)
    cases = _chosen(module.SIM_CASES if backend == "sim" else module.CASES, case_names, op)
    seed = secrets.randbits(32) if seed is None else seed
    request = {
        "root": str(workspace.root),
        "op": op,
        "runtime": str(libraries["runtime"]),
        "library": str(libraries[op]),
        "seed": seed,
    }
    device: dict[str, Any] = {}
    conditions: dict[str, Any] = {"clocks_before": _clocks(backend)}
    results: list[CaseResult] = []
    session: WorkerSession | None = None
    try:
        for number, case in enumerate(cases, start=1):
            on_case(case, number, len(cases))
            if session is None:
                session = WorkerSession(request)
                device = session.ask(60.0, do="describe")["device"]
            run = _count if backend == "sim" else _time
            try:
                results.append(run(session, module, spec, case, seed, limit_s, device))
            except RuntimeStatusError as error:
                results.append(CaseResult(case, Outcome.FAULT, error.message))
                # After a fault the device may be unusable for that process.
                session.close()
                session = None
    finally:
        if session is not None:
            session.close()
    conditions["clocks_after"] = _clocks(backend)
    return BenchResult(op, backend, seed, device, conditions, tuple(results))


def _chosen(
    cases: Sequence[BenchCase], names: Sequence[str] | None, op: str
) -> Sequence[BenchCase]:
    if not names:
        return cases
    known = [case.name for case in cases]
    for name in names:
        if name not in known:
            raise UsageError(
                f"{op} has no benchmark case '{name}'", hint=f"cases: {', '.join(known)}"
            )
    return [case for case in cases if case.name in names]


def _time(
    session: WorkerSession,
    module: ModuleType,
    spec: OpSpec,
    case: BenchCase,
    seed: int,
    limit_s: float,
    device: Mapping[str, Any],
) -> CaseResult:
    answer = session.ask(limit_s * 3 + 300.0, do="time", case=_message(case), limit_s=limit_s)
    if "skipped" in answer:
        return CaseResult(case, Outcome.SKIPPED, answer["skipped"])
    timed = {
        name: Timed(summarize(found["samples_us"]), found["calls_per_sample"], found["stop"])
        for name, found in answer["samples"].items()
    }
    kernel, ceiling = timed.pop("kernel"), timed.pop("copy")
    outcome, message = _verify(session, module, spec, case, seed, answer["verifiable"])
    peak = peak_bytes_per_second(device["memory_clock_khz"], device["memory_bus_width_bits"])
    notes = []
    if outcome is Outcome.OK and impossible(case.minimum_bytes, kernel.summary.median, peak):
        assert peak is not None
        outcome = Outcome.INVALID_TIME
        message = (
            f"{kernel.summary.median:.1f} us is less than {case.minimum_bytes} bytes need at the "
            f"memory's {peak / 1e9:.0f} GB/s: not all of the work was done in the timed calls"
        )
    elif outcome is Outcome.OK and kernel.summary.spread > TOO_NOISY_SPREAD:
        outcome = Outcome.TOO_NOISY
        message = f"the middle half of the samples spreads over {kernel.summary.spread:.0%}"
    if peak is None:
        notes.append("the driver names no memory clock: times were not held against physics")
    if answer["starved"]:
        notes.append(f"the device waited for the host in {answer['starved']} samples")
    return CaseResult(
        case, outcome, message, answer["sets"], kernel, ceiling, dict(timed), tuple(notes)
    )


def _count(
    session: WorkerSession,
    module: ModuleType,
    spec: OpSpec,
    case: BenchCase,
    seed: int,
    limit_s: float,
    device: Mapping[str, Any],
) -> CaseResult:
    answer = session.ask(300.0, do="traffic", case=_message(case))
    if answer["failure"]:
        return CaseResult(case, Outcome.FAULT, answer["failure"])
    output = spec.outputs[0].name
    inputs = {tensor.name: set_values(case, tensor.name, seed, 0) for tensor in spec.inputs}
    got = session.output(case.dtype, tuple(case.shapes[output]))
    message = _difference(module, spec, case, inputs, got)
    report = resolve_sites(answer["report"])
    traffic = summarize_traffic(report, case.minimum_bytes)
    outcome = Outcome.WRONG if message else Outcome.OK
    return CaseResult(case, outcome, message, traffic=traffic)


def _verify(
    session: WorkerSession,
    module: ModuleType,
    spec: OpSpec,
    case: BenchCase,
    seed: int,
    verifiable: Sequence[int],
) -> tuple[Outcome, str]:
    """Holds the outputs of the last sample, of its last set and one more, against the answer."""
    output = spec.outputs[0].name
    chosen = {verifiable[0], verifiable[secrets.randbelow(len(verifiable))]}
    for index in chosen:
        session.ask(300.0, do="output", set=index)
        got = session.output(case.dtype, tuple(case.shapes[output]))
        inputs = {tensor.name: set_values(case, tensor.name, seed, index) for tensor in spec.inputs}
        for window in _windows(case):
            part = {name: values[window] for name, values in inputs.items()}
            message = _difference(module, spec, case, part, got[window] if got.shape else got)
            if message:
                return Outcome.WRONG, message
    return Outcome.OK, ""


def _windows(case: BenchCase) -> list[slice]:
    """Leading rows to look at: all, or the first, the last and some in between.

    Only where every tensor has the same leading axis may rows be left out.
    """
    leading = {shape[0] if shape else -1 for shape in case.shapes.values()}
    rows = leading.pop()
    if leading or rows <= 0:
        return [slice(None)]
    widest = max(case.bytes_of(name) for name in case.shapes) // rows
    count = max(1, WINDOW_ELEMENTS * 4 // max(widest, 1))
    if rows <= 4 * count:
        return [slice(None)]
    middle = secrets.randbelow(rows - count)
    return [slice(start, start + count) for start in (0, middle, rows - count)]


def _difference(
    module: ModuleType,
    spec: OpSpec,
    case: BenchCase,
    inputs: Mapping[str, Storage],
    got: Storage,
) -> str:
    """ "" when the output is right, else a sentence."""
    from camp.grading.compare import compare, describe
    from camp.grading.verdict import Verdict

    defaults = {attribute.name: attribute.default for attribute in spec.attributes}
    expectation = module.expected(inputs, case.dtype, {**defaults, **case.attributes})
    comparison = compare(expectation, got, None)
    if comparison.verdict is Verdict.PASS:
        return ""
    return describe(spec.outputs[0].name, expectation, got, comparison)


def resolve_sites(report: dict[str, Any]) -> dict[str, Any]:
    """The report with {"module", "offset"} sites turned into {"file", "line"}."""
    from camp.simulator.symbolize import resolve_report

    resolved: dict[str, Any] = resolve_report(report)
    return resolved


def _message(case: BenchCase) -> dict[str, Any]:
    return {
        "name": case.name,
        "dtype": case.dtype,
        "shapes": {name: list(shape) for name, shape in case.shapes.items()},
        "attributes": dict(case.attributes),
    }


def _clocks(backend: str) -> dict[str, str] | None:
    """SM and memory clock and the reasons for throttling, as nvidia-smi tells them; else None."""
    tool = shutil.which("nvidia-smi") if backend == "nvidia" else None
    if tool is None:
        return None
    command = [tool, f"--query-gpu={_CLOCKS}", "--format=csv,noheader", "--id=0"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    fields = [field.strip() for field in done.stdout.strip().split(",")]
    if done.returncode != 0 or len(fields) != 3:
        return None
    return {"sm": fields[0], "memory": fields[1], "throttle_reasons": fields[2]}


def require_device(backend: str, count: int) -> None:
    """Raises EnvironmentProblem where the backend has no device."""
    if count == 0:
        raise EnvironmentProblem(
            f"the {backend} backend found no device",
            hint="camp doctor says what is missing; --backend sim needs no GPU",
        )


__all__ = ["KernelFault", "measure", "require_device", "resolve_sites"]
