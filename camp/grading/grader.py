"""grader: grades cases of one built operator, one worker for all of them until one spoils it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from camp.errors import InternalError
from camp.grading.arena import Arena
from camp.grading.case import Case
from camp.grading.case_run import CaseRun
from camp.grading.counting import CountedRun
from camp.grading.faults import Report, Symbolizer, read_report
from camp.grading.result import CaseResult
from camp.grading.session import Session, WorkerDied, WorkerGone, WorkerHung
from camp.grading.symbols import no_symbols
from camp.grading.verdict import Verdict

_ARENA_BYTES = 64 << 20
# Kinds after which the simulator left stacks unwound or the process may be damaged.
_SPOILING = {"endless_loop", "deadlock", "trap", "stack_overflow", "assertion"}
# What counts towards giving up: a hang costs its whole time limit, a crash a new worker.
_ENDINGS = {Verdict.HANG: 3, Verdict.CRASH: 1}
_ENDINGS_LIMIT = 3


# Verdicts after which a GPU's context can be in any state.
_STICKY = {Verdict.LAUNCH, Verdict.CRASH, Verdict.HANG, Verdict.OOB, Verdict.MISALIGNED}


class LoadFailed(Exception):
    """The library was built but does not load, such as for an undefined symbol."""


class Grader:
    """Grades cases one after another. start() may come before the library is built."""

    def __init__(self, op: str, *, backend: str, seed: int) -> None:
        self.op = op
        self.backend = backend
        self.seed = seed
        self.counted: CountedRun | None = None  # the last case with `traffic` that passed
        self._symbolize: Symbolizer = no_symbols
        self._libraries: tuple[Path, Path] | None = None
        self._arena: Arena | None = None
        self._session: Session | None = None
        self._loaded = False
        self._bad_endings = 0

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, arena_bytes: int = _ARENA_BYTES) -> None:
        """Starts a worker, so that it is ready when the build is."""
        self._arena = Arena(arena_bytes)
        self._session = Session(self._arena, simulated=self.backend == "sim")
        self._loaded = False

    def use(self, runtime: Path, library: Path, symbolize: Symbolizer = no_symbols) -> None:
        """The libraries to grade, loaded with the first case, and what finds lines in them."""
        self._libraries = (runtime, library)
        self._symbolize = symbolize

    def close(self) -> None:
        """Ends the worker, if one runs."""
        if self._session is not None:
            self._session.close()
            self._session = None
        if self._arena is not None:
            self._arena.close()
            self._arena = None

    @property
    def gave_up(self) -> bool:
        """True after too many hangs or crashes: further cases would only cost time."""
        return self._bad_endings >= _ENDINGS_LIMIT

    def grade(self, case: Case) -> CaseResult:
        """The grade of one case. Never raises for anything the kernel's code does."""
        try:
            result = CaseRun(self, case).grade()
            if self._session is not None:
                result = replace(result, output=self._session.output())
        except LoadFailed as failed:
            result = CaseResult(case.id, Verdict.BUILD, str(failed))
        except WorkerGone as gone:
            result = self._lost(case, gone)
        self._bad_endings += _ENDINGS.get(result.verdict, 0)
        if self._is_spoiled(result):
            self.close()
        return result

    def ask(
        self, action: str, timeout_s: float, needed: Mapping[str, type], **arguments: Any
    ) -> dict[str, Any]:
        """One request to the worker, and its reply with the `needed` keys and types. Anything else
        means that the worker's state is damaged."""
        if self._session is None:
            raise InternalError("no worker runs")
        reply = self._session.ask(action, timeout_s, **arguments)
        if "error" in reply:
            raise WorkerDied(str(reply["error"]))
        if not all(isinstance(reply.get(key), kind) for key, kind in needed.items()):
            raise WorkerDied("the kernel's code wrote into the grader's channel")
        return reply

    @property
    def arena(self) -> Arena:
        """The memory shared with the worker."""
        if self._arena is None:
            raise InternalError("no worker runs")
        return self._arena

    def ready(self, arena_bytes: int) -> None:
        """A worker with the library loaded and an arena of at least this size."""
        if self._arena is not None and self._arena.size_bytes < arena_bytes:
            self.close()
        if self._session is None:
            self.start(max(arena_bytes, _ARENA_BYTES))
        assert self._session is not None
        if not self._loaded:
            if self._libraries is None:
                raise InternalError("a case was graded before use() named the libraries")
            runtime, library = map(str, self._libraries)
            reply = self._session.ask(
                "load", self._load_limit_s, runtime=runtime, library=library, operator=self.op
            )
            if "error" in reply:
                raise LoadFailed(str(reply["error"]))
            self._loaded = True

    @property
    def _load_limit_s(self) -> float:
        return 5.0 if self.backend == "sim" else 60.0

    def report(self, reply: Mapping[str, Any]) -> Report:
        return read_report(reply.get("report"), self._symbolize)

    def _is_spoiled(self, result: CaseResult) -> bool:
        if self.backend != "sim":  # errors of a CUDA context stick
            return result.verdict in _STICKY
        cut = any("stopped after" in note for note in result.notes)
        return cut or any(f.kind in _SPOILING for f in result.faults)

    def _lost(self, case: Case, gone: WorkerGone) -> CaseResult:
        printed = self._session.output() if self._session is not None else ""
        self.close()
        if isinstance(gone, WorkerHung):
            text = f"{gone.text}: a loop in the kernel or in the launcher does not end"
            advice = "check that the condition of every loop becomes false for every thread"
            return CaseResult(case.id, Verdict.HANG, text, advice, output=printed)
        advice = "check the launcher's host code, and indices that may reach far outside"
        return CaseResult(case.id, Verdict.CRASH, gone.text, advice, output=printed)
