"""sanitize.result: what compute-sanitizer found in one kernel file, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from camp.errors import EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_PASS
from camp.grading.faults import Fault


@dataclass(frozen=True)
class Finding:
    """One fault, folded. tool: which checker found it. case: the first case that showed it."""

    tool: str
    case: str
    fault: Fault

    def to_json(self) -> dict[str, Any]:
        raw = self.fault.raw
        other = {key: raw[key] for key in ("tool_says",) if key in raw}
        return {"tool": self.tool, "case": self.case, **self.fault.to_json(), **other}


@dataclass(frozen=True)
class ToolRun:
    """One checker. cases: how many it ran. failure: what went wrong with the kernel besides
    findings, such as a launch that was refused or that did not end. trouble: why the checker
    itself gave no answer; both are sentences, "" for none. cut: there was more to report than a
    checker prints."""

    tool: str
    cases: int
    findings: tuple[Finding, ...] = ()
    failure: str = ""
    trouble: str = ""
    cut: bool = False

    @property
    def clean(self) -> bool:
        return not (self.findings or self.failure or self.trouble)

    def to_json(self) -> dict[str, Any]:
        return {
            "tool": self.tool,
            "cases": self.cases,
            "findings": [finding.to_json() for finding in self.findings],
            "failure": self.failure,
            "trouble": self.trouble,
            "cut": self.cut,
        }


@dataclass(frozen=True)
class SanitizeResult:
    """All checkers on one kernel file. cases: how many were chosen for each of them."""

    op: str
    kernel: str
    seed: int
    cases: int
    runs: tuple[ToolRun, ...]

    @property
    def findings(self) -> list[Finding]:
        return [finding for run in self.runs for finding in run.findings]

    @property
    def exit_code(self) -> int:
        """1 for anything that is wrong with the kernel, 4 where only a checker failed, else 0."""
        if any(run.findings or run.failure for run in self.runs):
            return EXIT_FAILED
        return EXIT_ENVIRONMENT if any(run.trouble for run in self.runs) else EXIT_PASS

    def to_json(self) -> dict[str, Any]:
        return {
            "op": self.op,
            "backend": "nvidia",
            "kernel": self.kernel,
            "seed": self.seed,
            "cases": self.cases,
            "tools": [run.to_json() for run in self.runs],
        }
