"""explain: what lies behind a report: the rule, the lesson's section, the page of its kind."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from camp.cli.excerpt import Mark, excerpt
from camp.cli.fault_view import fault_of, mark_of, other_mark_of, show_fault
from camp.cli.prose import show_prose
from camp.cli.terminal import Terminal, out
from camp.grading.faults import Fault, Location
from camp.grading.result import CaseResult, CheckResult
from camp.report_pages import ReportPage, kind_of, load_page, require_page
from camp.workspace import Workspace

_CONTEXT = 2


def explain(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="A kind of report, such as race or out_of_bounds.")
    ],
) -> None:
    """Read about a kind of report."""
    show_prose(out(), require_page(Workspace.find().root, kind).text.rstrip())


def say_lesson(terminal: Terminal, page: ReportPage) -> None:
    """Where to read on."""
    more = f"`camp explain {page.kind}`"
    text = f"{page.lesson}, or {more}" if page.lesson else more
    terminal.say(text, "cyan", label="lesson: " if page.lesson else "more: ", indent=2)


def explain_case(terminal: Terminal, root: Path, op: str, failure: CaseResult) -> None:
    """Prints the access, the rule, the other faults of the case, and the lesson's section."""
    decisive = fault_of(failure)
    if decisive is not None:
        _access(terminal, decisive)
    for fault in failure.faults:
        if fault.is_error and fault is not decisive:
            terminal.say(fault.kind, "yellow", label="also: ", indent=2)
            show_fault(terminal, fault)
    page = load_page(root, kind_of(failure) or "", op)
    if page is None:
        return
    terminal.say(page.rule, "cyan", label="rule: ", indent=2)
    terminal.say(f"{page.path} (`camp explain {page.kind}`)", "cyan", label="docs: ", indent=2)
    if page.lesson is not None:
        terminal.say(f"{page.lesson}", "cyan", label="lesson: ", indent=2)
        terminal.raw()
        terminal.raw(terminal.paint(f"## {page.lesson.heading}", "bold"))
        terminal.raw()
        show_prose(terminal, page.lesson.text)
        terminal.raw()


def _access(terminal: Terminal, fault: Fault) -> None:
    """Which element of how many was touched, and by an access of how many bytes."""
    raw = fault.raw
    parts = []
    if raw.get("tensor") and raw.get("index") is not None:
        of = f" of {raw['elements']} elements" if raw.get("elements") else ""
        parts.append(f"{raw['tensor']}[{raw['index']}]{of}")
    if raw.get("space"):
        parts.append(f"{raw['space']} memory")
    if raw.get("access"):
        size = f" of {raw['bytes']} bytes" if raw.get("bytes") else ""
        parts.append(f"{raw['access']}{size}")
    if parts:
        terminal.say(", ".join(parts), "cyan", label="access: ", indent=2)


class Explained:
    """A grade whose JSON says of every report where to read on, and with `whole` also the rule and
    the source lines."""

    def __init__(self, result: CheckResult, root: Path, whole: bool) -> None:
        self._result = result
        self._root = root
        self._whole = whole

    def to_json(self) -> dict[str, Any]:
        """The grade's own fields; first_failure and warnings have `kind`, `lesson`, `docs`."""
        document = self._result.to_json()
        failure = self._result.first_failure
        if failure is not None:
            fault = fault_of(failure)
            document["first_failure"] |= self._about(kind_of(failure), failure.location, fault)
        for entry, warning in zip(document["warnings"], self._result.warnings, strict=True):
            entry |= self._about(warning.kind, warning.location, warning)
        return document

    def _about(
        self, kind: str | None, place: Location | None, fault: Fault | None
    ) -> dict[str, Any]:
        page = load_page(self._root, kind or "", self._result.op)
        about: dict[str, Any] = {
            "kind": kind,
            "lesson": str(page.lesson) if page and page.lesson else None,
            "docs": page.path if page else None,
        }
        if self._whole:
            about["rule"] = page.rule if page else None
            about["excerpt"] = _lines(place, mark_of(fault) if fault else Mark())
            about["other_excerpt"] = (
                _lines(fault.other_location, other_mark_of(fault)) if fault else []
            )
        return about


def _lines(place: Location | None, mark: Mark) -> list[str]:
    return excerpt(place.file, place.line, mark, _CONTEXT) if place is not None else []
