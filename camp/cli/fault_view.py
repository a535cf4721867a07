"""fault_view: one failing case: what happened, the lines it happened at, what to do."""

from __future__ import annotations

from camp.cli.excerpt import Mark, show_excerpt, shown_path
from camp.cli.terminal import Terminal
from camp.grading.faults import Fault, Location, sentence_of, thread_of
from camp.grading.result import CaseResult

_SHOWN_OUTPUT_LINES = 10


def show_case(terminal: Terminal, failure: CaseResult) -> None:
    """Prints the message with its line, the other access, what the kernel printed, the advice."""
    fault = fault_of(failure)
    _show_place(terminal, failure.message, failure.location, mark_of(fault) if fault else Mark())
    if fault is not None:
        _other_place(terminal, fault)
    _printed(terminal, failure)
    if failure.advice:
        terminal.say(failure.advice, "cyan", label="advice: ", indent=2)


def fault_of(failure: CaseResult) -> Fault | None:
    """The simulator's fault that decided the case, where one did."""
    if "kind" not in failure.facts:
        return None
    errors = [fault for fault in failure.faults if fault.is_error]
    here = [fault for fault in errors if fault.location == failure.location]
    return next((f for f in here or errors if f.kind == failure.facts["kind"]), None)


def mark_of(fault: Fault) -> Mark:
    """What the line of a fault has underlined."""
    return Mark(name=str(fault.raw.get("tensor", "")), access=str(fault.raw.get("access", "")))


def other_mark_of(fault: Fault) -> Mark:
    """Likewise for the line of the other access, which may be of any kind."""
    return Mark(name=str(fault.raw.get("tensor", "")))


def show_fault(terminal: Terminal, fault: Fault) -> None:
    """Prints a fault that did not decide the case, as the one that did."""
    _show_place(terminal, sentence_of(fault), fault.location, mark_of(fault))
    _other_place(terminal, fault)


def show_warning(terminal: Terminal, fault: Fault) -> None:
    """Prints a fault that does not decide a verdict."""
    place = fault.location
    at = f"{shown_path(place.file)}:{place.line}: " if place is not None else ""
    terminal.say(at + sentence_of(fault), "yellow", label="warning: ", indent=2)
    if place is not None:
        show_excerpt(terminal, place.file, place.line, mark_of(fault), indent=4)
    _other_place(terminal, fault)
    if fault.advice:
        terminal.say(fault.advice, "cyan", label="advice: ", indent=2)


def _show_place(terminal: Terminal, message: str, place: Location | None, mark: Mark) -> None:
    if place is None:
        terminal.say(message, indent=2)
        return
    terminal.say(message, label=f"{shown_path(place.file)}:{place.line}: ", indent=2)
    show_excerpt(terminal, place.file, place.line, mark, indent=4)


def _other_place(terminal: Terminal, fault: Fault) -> None:
    """The earlier access of a race, or the other place where threads wait."""
    place = fault.other_location
    who = thread_of(fault.raw, "other_")
    if place is None:
        return
    what = "the other thread" if "access" not in fault.raw else "the other access"
    text = f"{what}: {who}" if who else what
    if place == fault.location:
        terminal.say(f"{text}, at the same line", indent=2)
        return
    _show_place(terminal, text, place, other_mark_of(fault))


def _printed(terminal: Terminal, failure: CaseResult) -> None:
    lines = failure.output.rstrip().splitlines()
    if not lines:
        return
    terminal.say("the kernel printed:", indent=2)
    for line in lines[:_SHOWN_OUTPUT_LINES]:
        terminal.raw("    " + line)
    if len(lines) > _SHOWN_OUTPUT_LINES:
        terminal.say(f"and {len(lines) - _SHOWN_OUTPUT_LINES} more lines", indent=4)
