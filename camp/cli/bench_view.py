"""bench_view: one measured operator: its table, the conditions, what changed, the medal."""

from __future__ import annotations

from collections import Counter
from typing import Any

from camp.bench.history import FASTER, SAME, SLOWER
from camp.bench.report import BenchReport
from camp.bench.results import BenchResult, CaseResult, Outcome
from camp.cli.conditions_view import show_conditions
from camp.cli.medals_view import show_earned
from camp.cli.table import show_table
from camp.cli.terminal import Terminal
from camp.cli.traffic_view import show_traffic

_LAST = "last us"
_COLORS = {FASTER: "green", SLOWER: "red", SAME: "dim", "even": ""}


def show_bench(terminal: Terminal, report: BenchReport) -> None:
    """Prints one operator's run. What is no measurement is told below the table, never in it."""
    result = report.result
    device = result.device.get("name", "no device")
    terminal.say(f"on {result.backend} ({device})", "bold", label=f"{result.op} ")
    told = False
    if result.backend == "sim":
        show_traffic(terminal, result)
    else:
        told = _show_times(terminal, report)
    for case in result.cases:
        if case.outcome is not Outcome.OK:
            color = "yellow" if case.outcome is Outcome.SKIPPED else "red"
            label = f"{case.case.name}: {case.outcome.value.replace('_', ' ')}: "
            terminal.say(case.message, color, label=label)
    _show_notes(terminal, result)
    _show_changes(terminal, report, told)
    show_earned(terminal, report.earned, report.spec.targets, kept=report.is_own)


def _show_notes(terminal: Terminal, result: BenchResult) -> None:
    """Each note once, with the cases it is of where it is not of all."""
    cases: dict[str, list[str]] = {}
    for case in result.cases:
        for note in case.notes:
            cases.setdefault(note, []).append(case.case.name)
    for note, names in cases.items():
        of_some = f" ({', '.join(names)})" if len(names) < len(result.cases) else ""
        terminal.say(note + of_some, label="note: ")


def measured(result: BenchResult) -> list[CaseResult]:
    """The cases whose times are measurements."""
    return [case for case in result.cases if case.outcome is Outcome.OK and case.kernel is not None]


def us(value: float) -> str:
    """Microseconds with the digits that repeat."""
    return f"{value:.2f}" if value < 100 else f"{value:,.1f}"


def change_text(verdict: str, before: str = "") -> Any:
    """A verdict in its colour, `before` in front of it."""
    from rich.text import Text

    return Text(f"{before} {verdict}".strip(), style=_COLORS.get(verdict, ""))


def _show_times(terminal: Terminal, report: BenchReport) -> bool:
    """Prints the table and the conditions; whether what changed is in the table."""
    cases = measured(report.result)
    if not cases:
        return False
    peers = list(dict.fromkeys(f"{name} us" for case in cases for name in case.peers))
    table = _table(report, cases)
    shown = show_table(
        terminal,
        list(table),
        [list(row) for row in zip(*table.values(), strict=True)],
        right=[heading for heading in table if heading not in ("case", "ceiling", "x best peer")],
        droppable=[*peers, "ceiling", _LAST, "% of datasheet", "[p10 p90]", "GB/s", "dtype"],
    )
    show_conditions(terminal, report.result, cases)
    return _LAST in shown


def _table(report: BenchReport, cases: list[CaseResult]) -> dict[str, list[Any]]:
    """Columns by heading; those that would say nothing are not there."""
    table: dict[str, list[Any]] = {"case": [case.case.name for case in cases]}
    if any(case.case.dtype not in case.case.name.split() for case in cases):
        table["dtype"] = [case.case.dtype for case in cases]
    table["us"] = [us(_summary(case).median) for case in cases]
    table["[p10 p90]"] = [f"[{us(_summary(c).p10)} {us(_summary(c).p90)}]" for c in cases]
    if not all(case.hot for case in cases):
        table["GB/s"] = [_number(case.gbps) for case in cases]
    table["% of ceiling"] = [_number(case.percent_of_ceiling, 1) for case in cases]
    if len({case.ceiling_kind for case in cases}) > 1:
        table["ceiling"] = [case.ceiling_kind for case in cases]
    if any(case.percent_of_datasheet for case in cases):
        table["% of datasheet"] = [_number(case.percent_of_datasheet) for case in cases]
    if any(case.peers for case in cases):
        table["x best peer"] = [_peer_cell(case) for case in cases]
    if report.changes:
        table[_LAST] = [_change_cell(report, case) for case in cases]
    for peer in dict.fromkeys(name for case in cases for name in case.peers):
        timed = [case.peers.get(peer) for case in cases]
        table[f"{peer} us"] = [us(found.summary.median) if found else "" for found in timed]
    return table


def _peer_cell(case: CaseResult) -> Any:
    """How many times as fast as the best peer, whether that is beyond noise, and which it is."""
    from rich.text import Text

    if case.best_peer is None or case.times_best_peer is None:
        return ""
    word = case.versus(case.best_peer)
    return Text(f"{case.times_best_peer:.3f} {word}, {case.best_peer}", style=_COLORS[word])


def _change_cell(report: BenchReport, case: CaseResult) -> Any:
    change = report.changes.get(case.case.name)
    return "" if change is None else change_text(change.verdict, us(change.before.median_us))


def _show_changes(terminal: Terminal, report: BenchReport, told: bool) -> None:
    """How many cases changed since the last measurement and, unless it was told, which."""
    changes = list(report.changes.values())
    if not changes:
        return
    counts = Counter(change.verdict for change in changes)
    words = [
        f"{counts[verdict]} {verdict}" for verdict in (FASTER, SLOWER, SAME) if counts[verdict]
    ]
    terminal.say(", ".join(words), label="since the last measurement: ")
    for change in changes:
        if change.verdict != SAME and not told:
            terminal.say(
                f"{change.verdict}, {us(change.before.median_us)} -> {us(change.now.median_us)} us",
                _COLORS[change.verdict],
                label=f"{change.now.case_name}: ",
                indent=2,
            )


def _summary(case: CaseResult) -> Any:
    assert case.kernel is not None
    return case.kernel.summary


def _number(value: float | None, digits: int = 0) -> str:
    return "" if value is None else f"{value:.{digits}f}"
