"""bench_summary: the closing table of a run over several operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from camp.bench.history import FASTER, SLOWER
from camp.bench.report import BenchReport
from camp.cli.bench_view import measured
from camp.cli.table import show_table
from camp.cli.terminal import Terminal


def show_summary(
    terminal: Terminal, reports: Sequence[BenchReport], unmeasured: Mapping[str, str]
) -> None:
    """A line an operator. unmeasured: operator -> why there is no measurement."""
    terminal.raw()
    timed = any(report.result.backend != "sim" for report in reports)
    headings = ["operator", "cases"]
    headings += ["% of ceiling", "to the best peer", "since last"] if timed else ["x minimum"]
    headings += ["medal"]
    cells = _times if timed else _traffic
    rows = [
        [report.result.op, _cases(report), *cells(report), _medal(report)] for report in reports
    ]
    rows += [[op, why, *[""] * (len(headings) - 2)] for op, why in unmeasured.items()]
    show_table(terminal, headings, rows, droppable=["since last", "to the best peer", "x minimum"])


def _cases(report: BenchReport) -> str:
    outcomes = Counter(case.outcome.value.replace("_", " ") for case in report.result.cases)
    return ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())


def _times(report: BenchReport) -> list[str]:
    cases = measured(report.result)
    shares = [c.percent_of_ceiling for c in cases if c.percent_of_ceiling is not None]
    words = Counter(case.versus(case.best_peer) for case in cases if case.best_peer is not None)
    since = Counter(change.verdict for change in report.changes.values())
    return [
        f"{min(shares):.0f} to {max(shares):.0f}" if shares else "",
        _counts(words, "faster", "even", "slower"),
        _counts(since, FASTER, "no change", SLOWER),
    ]


def _traffic(report: BenchReport) -> list[str]:
    counted = [case.counters.over_minimum for case in report.result.cases if case.counters]
    return [f"{min(counted):.2f} to {max(counted):.2f}" if counted else ""]


def _counts(found: Mapping[str, int], *words: str) -> str:
    return ", ".join(f"{found[word]} {word}" for word in words if found.get(word))


def _medal(report: BenchReport) -> str:
    earned = report.earned
    if not earned.judged:
        return "not judged"
    return f"{earned.kind} {earned.medal}" if earned.medal else "none yet"
