"""judge: turns one launch (its status, report and memory) into a verdict. Runs in the parent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from camp.grading.arena import Bytes, Layout, Stray, find_stray, view_of
from camp.grading.case import Problem
from camp.grading.compare import Comparison, compare, describe
from camp.grading.dtypes import dtype_of
from camp.grading.faults import Fault, Report
from camp.grading.oracle import Expectation
from camp.grading.patterns import explain
from camp.grading.result import CaseResult
from camp.grading.verdict import Verdict

_STATUS_VERDICT = {"LAUNCH_FAILED": Verdict.LAUNCH, "DEVICE_ERROR": Verdict.CRASH,
                   "KERNEL_FAULT": Verdict.CRASH}  # fmt: skip


@dataclass(frozen=True)
class Launch:
    """All that is known of one launch. before, after: images of the arena; fill: poison 0 or 1."""

    problem: Problem
    expectations: Mapping[str, Expectation]
    slot: int
    layout: Layout
    status: str
    status_message: str
    report: Report
    before: Bytes
    after: Bytes
    fill: int
    backend: str


def judge(launch: Launch, case_id: str) -> CaseResult:
    """The first of these that is wrong decides: the simulator's faults, the status, bytes outside
    the outputs, that a kernel ran at all, the outputs."""
    report = launch.report
    faults = report.faults
    if not report.readable:
        return CaseResult(
            case_id, Verdict.CRASH, "the kernel's code damaged the simulator's report"
        )
    if report.errors:
        return from_fault(case_id, report.errors[0], faults)
    if launch.status != "SUCCESS":
        verdict = _STATUS_VERDICT.get(launch.status, Verdict.WRONG)
        text = f"execute answered {launch.status}: {launch.status_message}"
        return CaseResult(case_id, verdict, text, faults=faults)
    stray = find_stray(launch.layout, launch.before, launch.after)
    if stray is not None:
        return CaseResult(
            case_id,
            Verdict.OOB,
            _say(stray),
            "compare every index against the element count before the access",
            faults=faults,
        )
    if launch.backend == "sim" and not report.launches and _has_output(launch.problem):
        return CaseResult(
            case_id,
            Verdict.LAUNCH,
            "no kernel was launched",
            "launch a kernel with <<<grid, block, 0, stream>>>; host code must not compute",
            faults=faults,
        )
    return _outputs(launch, case_id)


def from_fault(case_id: str, fault: Fault, faults: tuple[Fault, ...]) -> CaseResult:
    """A case whose verdict is a simulator fault."""
    return CaseResult(
        case_id, fault.verdict, fault.message, fault.advice, fault.location, faults=faults
    )


def _has_output(problem: Problem) -> bool:
    return any(tensor.elements for tensor in problem.outputs)


def _say(stray: Stray) -> str:
    many = f"{stray.count} bytes were changed that belong to no output; the first"
    if stray.inside:
        return f"{many} is byte {stray.distance_bytes} of {stray.span}, which must not be written"
    side = "before the first" if stray.before else "past the last"
    return f"{many} lies {stray.distance_bytes} bytes {side} byte of {stray.span}"


def _outputs(launch: Launch, case_id: str) -> CaseResult:
    notes: list[str] = []
    for name, expectation in launch.expectations.items():
        tensor, span = launch.layout.tensors[launch.slot, name]
        got = view_of(launch.after, span, tensor)
        fill = dtype_of(tensor.dtype).fills[launch.fill]
        outcome = compare(expectation, got, fill)
        if outcome.verdict is not Verdict.PASS:
            return _failed(launch, case_id, name, expectation, got, outcome)
        notes += outcome.notes
    return CaseResult(case_id, Verdict.PASS, notes=tuple(notes), faults=launch.report.faults)


def _failed(
    launch: Launch,
    case_id: str,
    name: str,
    expectation: Expectation,
    got: Any,
    outcome: Comparison,
) -> CaseResult:
    finding = explain(launch.problem, name, expectation, got, outcome)
    details = describe(name, expectation, got, outcome)
    return CaseResult(
        case_id,
        finding.verdict or outcome.verdict,
        f"{finding.text}. {details}" if finding.text else details,
        finding.advice,
        facts={
            "output": name,
            "first_index": list(outcome.first),
            "wrong": outcome.count,
            "total": int(outcome.bad.size),
            "unwritten": int(outcome.unwritten.sum()),
            "pattern": finding.text,
        },
        faults=launch.report.faults,
    )
