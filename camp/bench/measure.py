"""measure: runs the cases of one operator in a worker, verifies outputs, judges the times.

The answers are computed here, from the seed; the worker never holds them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from camp.bench.cases import BenchCase, load_cases
from camp.bench.clocks import read_clocks
from camp.bench.plan import impossible, peak_bytes_per_second
from camp.bench.results import BenchResult, CaseResult, Outcome, Timed
from camp.bench.session import WorkerSession
from camp.bench.statistics import summarize
from camp.bench.verify import difference
from camp.counters.model import TensorBytes
from camp.counters.read import read_counters
from camp.errors import RuntimeStatusError, UsageError
from camp.spec import load_spec
from camp.workspace import Workspace

TOO_NOISY_SPREAD = 0.20
LIMIT_S = 5.0
_SETUP_S = 300.0  # allocating, filling and copying back gigabytes
OnCase = Callable[[BenchCase, int, int], None]  # the case that starts, its number, of how many


def measure(
    workspace: Workspace,
    op: str,
    backend: str,
    libraries: Mapping[str, Path],
    *,
    kernel: Path | None = None,
    case_names: Sequence[str] | None = None,
    seed: int | None = None,
    limit_s: float = LIMIT_S,
    on_case: OnCase = lambda case, number, total: None,
) -> BenchResult:
    """Measures an operator that is built. `libraries` is {"runtime": path, op: path}.

    `kernel` is the file that was built (default: the learner's), `case_names` picks cases
    (default: all), `limit_s` bounds the sampling of one case. Raises UsageError for an unknown
    case and NoDeviceError where there is no device.
    """
    measurement = _Measurement(workspace, op, backend, libraries, kernel, seed, limit_s)
    clocks = {"clocks_before": read_clocks() if backend == "nvidia" else None}
    results: list[CaseResult] = []
    cases = measurement.chosen(case_names)
    with measurement:
        for number, case in enumerate(cases, start=1):
            on_case(case, number, len(cases))
            results.append(measurement.run(case))
    clocks["clocks_after"] = read_clocks() if backend == "nvidia" else None
    return BenchResult(op, backend, measurement.seed, measurement.device, clocks, tuple(results))


class _Measurement:
    """The worker of one operator, and what its answers are held against."""

    def __init__(
        self,
        workspace: Workspace,
        op: str,
        backend: str,
        libraries: Mapping[str, Path],
        kernel: Path | None,
        seed: int | None,
        limit_s: float,
    ) -> None:
        self.op, self.simulated, self.limit_s = op, backend == "sim", limit_s
        self.module, self.spec = load_cases(workspace.root, op), load_spec(workspace.root, op)
        self.seed = secrets.randbits(32) if seed is None else seed
        self.device: dict[str, Any] = {}
        self._kernel, self._root = kernel or self.spec.kernel, workspace.root
        self._libraries = (libraries["runtime"], libraries[op])
        self._request = {
            "root": str(workspace.root),
            "op": op,
            "runtime": str(libraries["runtime"]),
            "library": str(libraries[op]),
            "seed": self.seed,
        }
        self._session: WorkerSession | None = None

    def __enter__(self) -> _Measurement:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def chosen(self, names: Sequence[str] | None) -> Sequence[BenchCase]:
        """The cases of these names; all for none. Raises UsageError for a name unknown."""
        cases: list[BenchCase] = self.module.SIM_CASES if self.simulated else self.module.CASES
        if not names:
            return cases
        known = [case.name for case in cases]
        for name in names:
            if name not in known:
                raise UsageError(
                    f"{self.op} has no benchmark case '{name}'",
                    hint=f"cases: {', '.join(known)}",
                )
        return [case for case in cases if case.name in names]

    def run(self, case: BenchCase) -> CaseResult:
        """One case. Whatever the kernel does is a result, not an error."""
        if self._session is None:
            self._session = WorkerSession(self._request)
            self.device = self._session.ask(60.0, do="describe")["device"]
        try:
            run = self._count if self.simulated else self._time
            return run(self._session, case)
        except RuntimeStatusError as error:
            # The device may be unusable for that process from here on.
            self._end()
            return CaseResult(case, Outcome.FAULT, error.message)

    def _time(self, session: WorkerSession, case: BenchCase) -> CaseResult:
        answer = session.ask(
            self.limit_s * 3 + _SETUP_S, do="time", case=_message(case), limit_s=self.limit_s
        )
        if "skipped" in answer:
            return CaseResult(case, Outcome.SKIPPED, answer["skipped"])
        timed = {
            name: Timed(summarize(found["samples_us"]), found["calls_per_sample"], found["stop"])
            for name, found in answer["samples"].items()
        }
        kernel, copy = timed.pop("kernel"), timed.pop("copy")
        outcome, message = self._verified(session, case, answer["verifiable"])
        peak = self._peak()
        if outcome is Outcome.OK:
            outcome, message = judge_time(case.minimum_bytes, kernel, peak)
        notes = []
        if peak is None:
            notes.append("the driver names no memory clock: times were not held against physics")
        if answer["starved"]:
            notes.append(f"the device waited for the host in {answer['starved']} samples")
        return CaseResult(
            case,
            outcome,
            message,
            answer["sets"],
            kernel,
            {"copy": copy},
            peers=dict(timed),
            datasheet_gbps=peak and peak / 1e9,
            notes=tuple(notes),
        )

    def _peak(self) -> float | None:
        return peak_bytes_per_second(
            self.device["memory_clock_khz"], self.device["memory_bus_width_bits"]
        )

    def _verified(
        self, session: WorkerSession, case: BenchCase, sets: Sequence[int]
    ) -> tuple[Outcome, str]:
        """Outputs of the last sample: of the set written last and of one that is drawn now."""
        for index in {sets[0], sets[secrets.randbelow(len(sets))]}:
            session.ask(_SETUP_S, do="output", set=index)
            sentence = self._difference(session, case, index)
            if sentence:
                return Outcome.WRONG, sentence
        return Outcome.OK, ""

    def _difference(self, session: WorkerSession, case: BenchCase, index: int) -> str:
        shape = tuple(case.shapes[self.spec.outputs[0].name])
        got = session.output(case.dtype, shape)
        return difference(self.module, self.spec, case, self.seed, index, got)

    def _count(self, session: WorkerSession, case: BenchCase) -> CaseResult:
        answer = session.ask(_SETUP_S, do="count", case=_message(case))
        if answer["failure"]:
            return CaseResult(case, Outcome.FAULT, answer["failure"])
        sentence = self._difference(session, case, 0)
        launches = answer["report"].get("launches")
        tensors = [TensorBytes(t.name, t.role, case.bytes_of(t.name)) for t in self.spec.tensors]
        counters = read_counters(
            launches,
            case.name,
            tensors,
            kernel=self._kernel,
            root=self._root,
            modules=self._libraries,
        )
        if counters is None:
            return CaseResult(case, Outcome.FAULT, "the kernel's code damaged the report")
        outcome = Outcome.WRONG if sentence else Outcome.OK
        return CaseResult(case, outcome, sentence, counters=counters)


def judge_time(minimum_bytes: int, kernel: Timed, peak: float | None) -> tuple[Outcome, str]:
    """Whether a time can be a measurement: physically possible and steady enough.

    `peak` is the memory's bandwidth in bytes per second, None where unknown.
    """
    median = kernel.summary.median
    if peak is not None and impossible(minimum_bytes, median, peak):
        return Outcome.INVALID_TIME, (
            f"{median:.1f} us is less than {minimum_bytes} bytes need at the memory's "
            f"{peak / 1e9:.0f} GB/s: not all of the work was done in the timed calls"
        )
    if kernel.summary.spread > TOO_NOISY_SPREAD:
        spread = f"{kernel.summary.spread:.0%} of the median"
        return Outcome.TOO_NOISY, f"the middle half of the samples spreads over {spread}"
    return Outcome.OK, ""


def _message(case: BenchCase) -> dict[str, Any]:
    return {
        "name": case.name,
        "dtype": case.dtype,
        "shapes": {name: list(shape) for name, shape in case.shapes.items()},
        "attributes": dict(case.attributes),
    }
