"""judge: turns one launch (its status, report and memory) into a verdict. Runs in the parent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from camp.errors import ToolchainError
from camp.grading.arena import Bytes, Layout, Stray, find_stray, view_of
from camp.grading.case import Problem
from camp.grading.compare import Comparison, compare, describe, written_only
from camp.grading.dtypes import dtype_of
from camp.grading.faults import Fault, Report, sentence_of
from camp.grading.oracle import Expectation
from camp.grading.patterns import explain
from camp.grading.result import CaseResult
from camp.grading.verdict import Verdict

# Names of the errors that a device gives for a library built for another architecture.
_NO_CODE = (
    "cudaErrorNoKernelImageForDevice",
    "cudaErrorInvalidDeviceFunction",
    "cudaErrorUnsupportedPtxVersion",
)
# What an index that wrapped around leads to.
_ASTRAY = {Verdict.OOB, Verdict.LAUNCH, Verdict.UNWRITTEN, Verdict.HANG}
_CUT = "endless_loop"  # the kind of fault that a time limit leaves


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
    may_be_cut: bool = False

    @property
    def was_cut(self) -> bool:
        """Ended by a time limit that the case allows, and nothing else was wrong."""
        return self.may_be_cut and {fault.kind for fault in self.report.errors} == {_CUT}


def judge(launch: Launch, case_id: str) -> CaseResult:
    """The verdict on a launch, and what caused it."""
    return blame_overflow(_first_wrong(launch, case_id))


def _first_wrong(launch: Launch, case_id: str) -> CaseResult:
    """The first of these that is wrong decides: the simulator's faults, the status, bytes outside
    the outputs, that a kernel ran at all, the outputs."""
    report = launch.report
    faults = report.faults
    if report.errors and not launch.was_cut:
        result = from_fault(case_id, first_cause(report), faults)
        return replace(result, facts={**result.facts, "outputs": _hidden(launch)})
    if not launch.was_cut:
        unusual = unusual_ending(case_id, launch.status, launch.status_message, report)
        if unusual is not None:
            return unusual
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


def unusual_ending(case_id: str, status: str, message: str, report: Report) -> CaseResult | None:
    """What to say of a report that cannot be read, or of a status other than SUCCESS. Raises
    ToolchainError where the library was built for another GPU, which is no fault of the kernel."""
    if not report.readable:
        return CaseResult(
            case_id, Verdict.CRASH, "the kernel's code damaged the simulator's report"
        )
    if status == "SUCCESS":
        return None
    if any(name in message for name in _NO_CODE):
        raise ToolchainError(
            f"the library holds no code that this GPU can run ({message})",
            hint="CMAKE_CUDA_ARCHITECTURES=native camp build --backend nvidia",
        )
    verdict = Verdict.LAUNCH if status == "LAUNCH_FAILED" else Verdict.CRASH
    text = f"execute answered {status}: {message}"
    return CaseResult(case_id, verdict, text, faults=report.faults)


def first_cause(report: Report) -> Fault:
    """The error to fix first. Of races the one whose two threads lie furthest apart: what orders
    blocks orders warps too, and a barrier orders the lanes of a warp."""
    first = report.errors[0]
    if first.kind != "race":
        return first
    races = [fault for fault in report.errors if fault.kind == "race"]
    blocks = {str(launch.get("kernel")): launch.get("block") for launch in report.launches}
    return min(races, key=lambda fault: _closeness(fault, blocks.get(str(fault.raw.get("kernel")))))


def _closeness(race: Fault, block: Any) -> int:
    """0: two blocks, 1: two warps of one, 2: one warp."""
    if race.raw.get("block") != race.raw.get("other_block"):
        return 0
    try:
        warps = {
            (x + block[0] * (y + block[1] * z)) // 32
            for x, y, z in (race.raw["thread"], race.raw["other_thread"])
        }
    except (KeyError, TypeError, ValueError, IndexError):
        return 2
    return 1 if len(warps) > 1 else 2


def _hidden(launch: Launch) -> str:
    """ "right" when every output is what it should be in spite of a fault, else "wrong"."""
    for name, expectation in launch.expectations.items():
        tensor, span = launch.layout.tensors[launch.slot, name]
        got = view_of(launch.after, span, tensor)
        if compare(expectation, got, None).verdict is not Verdict.PASS:
            return "wrong"
    return "right"


def blame_overflow(result: CaseResult) -> CaseResult:
    """Where an integer overflowed and the kernel then went astray, the overflow is what to fix."""
    overflow = next((f for f in result.faults if f.kind == "integer_overflow"), None)
    if overflow is None or result.verdict not in _ASTRAY:
        return result
    return replace(
        result,
        message=f"{overflow.message}; then {result.message}",
        advice=overflow.advice,
        location=overflow.location or result.location,
    )


def from_fault(case_id: str, fault: Fault, faults: tuple[Fault, ...]) -> CaseResult:
    """A case whose verdict is a simulator fault."""
    facts = {"kind": fault.kind, "count": fault.count, "kernel": fault.raw.get("kernel")}
    return CaseResult(
        case_id,
        fault.verdict,
        sentence_of(fault),
        fault.advice,
        fault.location,
        facts,
        faults=faults,
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
        if launch.was_cut:
            notes.append("stopped after a few seconds of simulation; graded what was stored so far")
            outcome = written_only(outcome)
        if outcome.verdict is not Verdict.PASS:
            return _failed(launch, case_id, name, expectation, got, outcome)
        notes += outcome.notes
    faults = () if launch.was_cut else launch.report.faults
    return CaseResult(case_id, Verdict.PASS, notes=tuple(notes), faults=faults)


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
