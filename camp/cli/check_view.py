"""check_view: a grade in words: the verdict, the first failure with its line, what to do next."""

from __future__ import annotations

from pathlib import Path

from camp.cli.excerpt import shown_path
from camp.cli.explain import explain_case, say_lesson
from camp.cli.failures import say_hint, show_build_error
from camp.cli.fault_view import show_case, show_warning
from camp.cli.terminal import Terminal
from camp.grading.result import CheckResult
from camp.grading.verdict import Verdict
from camp.report_pages import kind_of, load_page

_SHOWN_WARNINGS = 3
_SHOWN_NOTES = 3


def show_result(
    terminal: Terminal, result: CheckResult, repeat: str, root: Path, *, explain: bool = False
) -> None:
    """Prints one grade. `repeat` is the command that runs exactly this check again; `explain` adds
    to a failure what docs and lesson under `root` say of it."""
    _headline(terminal, result)
    if result.verdict is Verdict.BUILD:
        _build(terminal, result)
    elif result.verdict is Verdict.NOT_STARTED:
        _not_started(terminal, result)
    elif result.verdict is Verdict.PASS:
        _passed(terminal, result)
    else:
        _failed(terminal, result, repeat, root, explain)


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


def _failed(
    terminal: Terminal, result: CheckResult, repeat: str, root: Path, explain: bool
) -> None:
    failure = result.first_failure
    if failure is None:
        return
    terminal.say(failure.id, "bold", label="first failing case: ", indent=2)
    show_case(terminal, failure)
    page = load_page(root, kind_of(failure) or "", result.op)
    if explain:
        explain_case(terminal, root, result.op, failure)
    elif page is not None:
        say_lesson(terminal, page)
    _warnings(terminal, result)
    if failure.location is None:
        _next(terminal, f"edit {shown_path(result.kernel)}")
    terminal.say(f"`{repeat}`", "dim", label="repeat: ", indent=2)


def _warnings(terminal: Terminal, result: CheckResult) -> None:
    warnings = result.warnings
    for fault in warnings[:_SHOWN_WARNINGS]:
        show_warning(terminal, fault)
    if len(warnings) > _SHOWN_WARNINGS:
        terminal.say(f"and {len(warnings) - _SHOWN_WARNINGS} more warnings", indent=2)


def _next(terminal: Terminal, text: str, label: str = "next: ") -> None:
    terminal.say(text, "cyan", label=label, indent=2)
