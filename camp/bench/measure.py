"""measure: runs the cases of one operator in a worker, verifies outputs, judges the times.

The answers are computed here, from the seed; the worker never holds them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from camp.bench.cases import BenchCase, load_cases
from camp.bench.judge import judge, notes, possible_peers, timed
from camp.bench.library import request_of
from camp.bench.peers import chosen
from camp.bench.plan import peak_bytes_per_second
from camp.bench.results import BenchResult, CaseResult, HostCost, Outcome, Timed
from camp.bench.session import WorkerSession
from camp.bench.verify import answer
from camp.counters.model import TensorBytes
from camp.counters.read import read_counters
from camp.errors import BuildError, RuntimeStatusError, UsageError
from camp.spec import load_spec
from camp.workspace import Workspace

LIMIT_S = 2.0
_SETUP_S = 300.0  # allocating, filling and copying back gigabytes
_LARGE_BYTES = 256 << 20
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
    hot: bool = False,
    beside: Mapping[str, Path | BuildError] | None = None,
    peers: Sequence[str] = (),
    on_case: OnCase = lambda case, number, total: None,
) -> BenchResult:
    """Measures an operator that is built. `libraries` is {"runtime": path, op: path}.

    `kernel` is the file that was built (default: the learner's), `case_names` picks cases
    (default: all), `limit_s` bounds the sampling of one case. `hot` times calls on one buffer set,
    which caches may hold. `beside` is what camp.build.build_bench gave; without it the one ceiling
    is the device's own copy. `peers` names those to time beside it (see camp.bench.peers.chosen).
    Raises UsageError for an unknown case or peer and NoDeviceError where there is no device.
    """
    request: dict[str, Any] = {
        "root": str(workspace.root),
        "op": op,
        "runtime": str(libraries["runtime"]),
        "library": str(libraries[op]),
        "seed": secrets.randbits(32) if seed is None else seed,
        "beside": request_of(beside or {}),
        "peers": chosen(peers),
    }
    kernel = kernel or load_spec(workspace.root, op).kernel
    results: list[CaseResult] = []
    with _Measurement(workspace.root, request, backend, kernel, limit_s, hot) as measurement:
        cases = measurement.chosen(case_names)
        for number, case in enumerate(cases, start=1):
            on_case(case, number, len(cases))
            results.append(measurement.run(case))
        conditions = measurement.conditions()
        device = measurement.device
    return BenchResult(op, backend, request["seed"], device, conditions, tuple(results))


class _Measurement:
    """The worker of one operator, and what its answers are held against."""

    def __init__(
        self,
        root: Path,
        request: dict[str, Any],
        backend: str,
        kernel: Path,
        limit_s: float,
        hot: bool,
    ) -> None:
        self.op, self.seed = request["op"], request["seed"]
        self.simulated, self.limit_s, self.hot = backend == "sim", limit_s, hot
        self.module, self.spec = load_cases(root, self.op), load_spec(root, self.op)
        self.device: dict[str, Any] = {}
        self._kernel, self._root, self._request = kernel, root, request
        self._libraries = (Path(request["runtime"]), Path(request["library"]))
        self._session: WorkerSession | None = None
        self._driver: str | None = None
        self._before: dict[str, str] | None = None

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
        session = self._session or self._start()
        try:
            run = self._count if self.simulated else self._time
            return run(session, case)
        except RuntimeStatusError as error:
            # The device may be unusable for that process from here on.
            self._end()
            return CaseResult(case, Outcome.FAULT, error.message)

    def _start(self) -> WorkerSession:
        self._session = WorkerSession(self._request)
        described = self._session.ask(60.0, do="describe")
        self.device, self._driver = described["device"], described["driver"]
        self._before = self._before or self._clocks(self._session)
        return self._session

    def conditions(self) -> dict[str, Any]:
        """Driver and clocks: None on the simulator, and where the driver tells nothing."""
        after = self._clocks(self._session) if self._session else None
        return {"driver": self._driver, "clocks_before": self._before, "clocks_after": after}

    def _clocks(self, session: WorkerSession) -> dict[str, str] | None:
        clocks: dict[str, str] | None = session.ask(60.0, do="clocks")["clocks"]
        return clocks

    def _time(self, session: WorkerSession, case: BenchCase) -> CaseResult:
        answer = session.ask(
            self.limit_s * 3 + _SETUP_S,
            do="time",
            case=_message(case),
            limit_s=self.limit_s,
            hot=self.hot,
        )
        if "skipped" in answer:
            return CaseResult(case, Outcome.SKIPPED, answer["skipped"])
        result = timed_case(case, answer, self.device, hot=self.hot)
        wrong = self._wrong(session, case, answer["verifiable"])
        # Times of wrong work need no remarks.
        return replace(result, outcome=Outcome.WRONG, message=wrong, notes=()) if wrong else result

    def _wrong(self, session: WorkerSession, case: BenchCase, sets: Sequence[int]) -> str:
        """What is wrong with the outputs of the last sample: of the set written last and of one
        that is drawn now, or of that alone where an answer takes seconds."""
        chosen = {sets[secrets.randbelow(len(sets))]}
        if case.minimum_bytes < _LARGE_BYTES:
            chosen.add(sets[-1])
        sentences = (self._difference(session, case, index) for index in sorted(chosen))
        return next(filter(None, sentences), "")

    def _difference(self, session: WorkerSession, case: BenchCase, index: int) -> str:
        expected = answer(self.module, self.spec, case, self.seed, index)
        shape = tuple(case.shapes[self.spec.outputs[0].name])
        rows = [(part.start, part.stop) for part in expected.rows]
        session.ask(_SETUP_S, do="output", set=index, rows=rows)
        return expected.wrong(session.outputs(case.dtype, shape, expected.rows))

    def _count(self, session: WorkerSession, case: BenchCase) -> CaseResult:
        counted = session.ask(_SETUP_S, do="count", case=_message(case))
        if counted["failure"]:
            return CaseResult(case, Outcome.FAULT, counted["failure"])
        expected = answer(self.module, self.spec, case, self.seed, index=0)
        shape = tuple(case.shapes[self.spec.outputs[0].name])
        [got] = session.outputs(case.dtype, shape, [slice(None)])
        sentence = expected.wrong([got[rows] if shape else got for rows in expected.rows])
        launches = counted["report"].get("launches")
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


def timed_case(
    case: BenchCase, answer: Mapping[str, Any], device: Mapping[str, Any], *, hot: bool
) -> CaseResult:
    """What the worker's samples of a case say, judged, but for its outputs."""
    peak = peak_bytes_per_second(device["memory_clock_khz"], device["memory_bus_width_bits"])
    result = CaseResult(
        case,
        Outcome.OK,
        sets=answer["sets"],
        kernel=timed(answer["kernel"]),
        ceilings=_timed_all(answer["ceilings"]),
        ceiling_kind=answer["ceiling_kind"],
        peers=_timed_all(answer["peers"]),
        host=HostCost(**answer["host"]) if answer["host"] else None,
        datasheet_gbps=peak and peak / 1e9,
        hot=hot,
    )
    outcome, message = judge(result, answer["kernel"]["reasons"])
    peers, left_out = possible_peers(result)
    result = replace(result, outcome=outcome, message=message, peers=peers)
    return replace(result, notes=(*notes(result, answer), *left_out))


def _timed_all(found: Mapping[str, Any]) -> dict[str, Timed]:
    named = {name: timed(sampled) for name, sampled in found.items()}
    return {name: times for name, times in named.items() if times is not None}


def _message(case: BenchCase) -> dict[str, Any]:
    return {
        "name": case.name,
        "dtype": case.dtype,
        "shapes": {name: list(shape) for name, shape in case.shapes.items()},
        "attributes": dict(case.attributes),
    }
