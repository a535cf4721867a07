"""check_view: a grade in words: the verdict, the first failure with its line, what to do next."""

from __future__ import annotations

from camp.cli.excerpt import show_excerpt, shown_path
from camp.cli.failures import say_hint, show_build_error
from camp.cli.terminal import Terminal
from camp.grading.faults import Fault, Location
from camp.grading.result import CaseResult, CheckResult
from camp.grading.verdict import Verdict

_SHOWN_OUTPUT_LINES = 10
_SHOWN_WARNINGS = 3
_SHOWN_NOTES = 3


def show_result(terminal: Terminal, result: CheckResult, repeat: str) -> None:
    """Prints one grade. `repeat` is the command that runs exactly this check again."""
    _headline(terminal, result)
    if result.verdict is Verdict.BUILD:
        _build(terminal, result)
    elif result.verdict is Verdict.NOT_STARTED:
        _not_started(terminal, result)
    elif result.verdict is Verdict.PASS:
        _passed(terminal, result)
    else:
        _failed(terminal, result, repeat)


def _headline(terminal: Terminal, result: CheckResult) -> None:
    color = "green" if result.verdict is Verdict.PASS else "red"
    if result.verdict is Verdict.NOT_STARTED:
        color = "yellow"
    text = f"on {result.backend}"
    total = len(result.cases) + result.not_run
    if total:
        text += f", {result.passed} of {total} cases passed"
        if result.not_run:
            text += f", {result.not_run} not run after too many hangs or crashes"
    label = f"{result.op}: {result.verdict.value.replace('_', ' ')}"
    terminal.say(text, color, "bold", label=f"{label} ")


def _build(terminal: Terminal, result: CheckResult) -> None:
    if result.build_error is not None:
        if not result.build_error.diagnostics:
            terminal.say(result.build_error.message, indent=2)
        show_build_error(terminal, result.build_error)
        say_hint(terminal, result.build_error.hint, indent=2)
    elif result.first_failure is not None:
        terminal.say(result.first_failure.message, indent=2)


def _not_started(terminal: Terminal, result: CheckResult) -> None:
    path = shown_path(result.kernel)
    if result.todo is not None:
        line, text = result.todo
        terminal.say(f"TODO: {text}", label=f"{path}:{line}: ", indent=2)
    else:
        terminal.say(f"{path} is still the scaffold", indent=2)
    _next(terminal, f"edit {path}, then `camp check {result.op}`; `camp hint {result.op}` helps")


def _passed(terminal: Terminal, result: CheckResult) -> None:
    terminal.say(f"{shown_path(result.kernel)}, seed {result.seed}", indent=2)
    traffic = result.traffic
    if traffic:
        terminal.say(
            f"memory traffic: {traffic.over_minimum:.2f} times the minimum "
            f"({traffic.in_global.moved_bytes:,} of {traffic.minimum_bytes:,} bytes, "
            f"case {traffic.case})",
            indent=2,
        )
    notes = list(dict.fromkeys(f"{note}" for case in result.cases for note in case.notes))
    for note in notes[:_SHOWN_NOTES]:
        terminal.say(note, "yellow", label="note: ", indent=2)
    _warnings(terminal, result)
    if result.backend == "sim" and result.counters is None:
        _next(terminal, f"`camp check {result.op} --counters` shows what each line costs")
    elif result.backend != "sim":
        _next(terminal, f"`camp bench --op {result.op}` measures it")


def _failed(terminal: Terminal, result: CheckResult, repeat: str) -> None:
    failure = result.first_failure
    if failure is None:
        return
    terminal.say(failure.id, "bold", label="first failing case: ", indent=2)
    place = failure.location
    if place is not None:
        terminal.say(failure.message, label=f"{shown_path(place.file)}:{place.line}: ", indent=2)
        show_excerpt(terminal, place.file, place.line, indent=4)
    else:
        terminal.say(failure.message, indent=2)
    _other_place(terminal, failure)
    _printed(terminal, failure)
    if failure.advice:
        terminal.say(failure.advice, "cyan", label="advice: ", indent=2)
    _warnings(terminal, result)
    if place is None:
        _next(terminal, f"edit {shown_path(result.kernel)}")
    terminal.say(f"`{repeat}`", "dim", label="repeat: ", indent=2)


def _other_place(terminal: Terminal, failure: CaseResult) -> None:
    """The earlier access of a race, when it is another line."""
    fault = next((f for f in failure.faults if f.is_error and f.location == failure.location), None)
    other = fault.other_location if fault else None
    if other is None or other == failure.location:
        return
    terminal.say("the other access", label=f"{shown_path(other.file)}:{other.line}: ", indent=2)
    show_excerpt(terminal, other.file, other.line, indent=4)


def _printed(terminal: Terminal, failure: CaseResult) -> None:
    lines = failure.output.rstrip().splitlines()
    if not lines:
        return
    terminal.say("the kernel printed:", indent=2)
    for line in lines[:_SHOWN_OUTPUT_LINES]:
        terminal.raw("    " + line)
    if len(lines) > _SHOWN_OUTPUT_LINES:
        terminal.say(f"and {len(lines) - _SHOWN_OUTPUT_LINES} more lines", indent=4)


def _warnings(terminal: Terminal, result: CheckResult) -> None:
    warnings = result.warnings
    for fault in warnings[:_SHOWN_WARNINGS]:
        terminal.say(_at(fault) + fault.message, "yellow", label="warning: ", indent=2)
        if fault.location is not None:
            show_excerpt(terminal, fault.location.file, fault.location.line, indent=4)
    if len(warnings) > _SHOWN_WARNINGS:
        terminal.say(f"and {len(warnings) - _SHOWN_WARNINGS} more warnings", indent=2)


def _at(fault: Fault) -> str:
    place: Location | None = fault.location
    return f"{shown_path(place.file)}:{place.line}: " if place is not None else ""


def _next(terminal: Terminal, text: str, label: str = "next: ") -> None:
    terminal.say(text, "cyan", label=label, indent=2)
