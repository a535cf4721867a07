"""result: what a check says, as plain data. The command line renders it, JSON stores it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from camp.counters.document import document, totals
from camp.counters.model import Counters
from camp.errors import BuildError
from camp.grading.faults import Fault, Location
from camp.grading.verdict import Verdict
from camp.nvcc.report import NvccReport, registers_by_kernel


@dataclass(frozen=True)
class CaseResult:
    """The grade of one case.

    message: what was seen, one or two sentences. advice: one next step. location: the learner's
    line, where one is known. notes: remarks on a pass. output: what the kernel printed.
    """

    id: str
    verdict: Verdict
    message: str = ""
    advice: str = ""
    location: Location | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    output: str = ""

    @property
    def passed(self) -> bool:
        return self.verdict is Verdict.PASS

    @property
    def warnings(self) -> list[Fault]:
        return [fault for fault in self.faults if not fault.is_error]

    def with_notes(self, *notes: str) -> CaseResult:
        return replace(self, notes=(*self.notes, *(n for n in notes if n not in self.notes)))

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "verdict": self.verdict.value,
            "message": self.message,
            "advice": self.advice,
            "file": self.location.file if self.location else None,
            "line": self.location.line if self.location else None,
            "facts": dict(self.facts),
            "notes": list(self.notes),
            "faults": [fault.to_json() for fault in self.faults],
            "output": self.output,
        }


@dataclass(frozen=True)
class CheckResult:
    """The grade of one kernel file over all its cases.

    seed: repeats the values and schedules. todo: (line, text) of the first TODO when NOT_STARTED.
    traffic: what one large case moved, in totals (simulator only). counters: the same by lines,
    where asked for. nvcc: what a CUDA compiler says of the same file, where one was asked.
    not_run: cases left out after too many hangs or crashes.
    """

    op: str
    backend: str
    kernel: str
    verdict: Verdict
    seed: int
    cases: tuple[CaseResult, ...] = ()
    not_run: int = 0
    todo: tuple[int, str] | None = None
    traffic: Counters | None = None
    counters: Counters | None = None
    nvcc: NvccReport | None = None
    build_error: BuildError | None = None

    @property
    def exit_code(self) -> int:
        return self.verdict.exit_code

    def with_nvcc(self, report: NvccReport | None) -> CheckResult:
        """The same with nvcc's answer, and in the counters the registers it gave to kernels."""
        counters = self.counters and self.counters.with_registers(registers_by_kernel(report))
        return replace(self, nvcc=report, counters=counters)

    @property
    def passed(self) -> int:
        return sum(case.passed for case in self.cases)

    @property
    def first_failure(self) -> CaseResult | None:
        return next((case for case in self.cases if not case.passed), None)

    @property
    def warnings(self) -> list[Fault]:
        """Warnings of all cases, each line of source once."""
        seen: dict[tuple[str, str], Fault] = {}
        for case in self.cases:
            for fault in case.warnings:
                seen.setdefault((fault.kind, str(fault.location)), fault)
        return list(seen.values())

    def case(self, case_id: str) -> CaseResult:
        return next(case for case in self.cases if case.id == case_id)

    def to_json(self) -> dict[str, Any]:
        first = self.first_failure
        error = self.build_error
        return {
            "op": self.op,
            "backend": self.backend,
            "kernel": self.kernel,
            "verdict": self.verdict.value,
            "seed": self.seed,
            "passed": self.passed,
            "total": len(self.cases) + self.not_run,
            "not_run": self.not_run,
            "first_failure": first.to_json() if first else None,
            "warnings": [fault.to_json() for fault in self.warnings],
            "todo": {"line": self.todo[0], "text": self.todo[1]} if self.todo else None,
            "traffic": totals(self.traffic) if self.traffic else None,
            "counters": document(self.counters) if self.counters else None,
            "nvcc": self.nvcc.to_json() if self.nvcc else None,
            "build": None
            if error is None
            else {
                "message": error.message,
                "diagnostics": [
                    {
                        "file": d.file,
                        "line": d.line,
                        "column": d.column,
                        "message": d.message,
                        "severity": d.severity,
                    }
                    for d in error.diagnostics
                ],
            },
            "cases": [case.to_json() for case in self.cases],
        }
