"""traffic_view: what the simulator counted, case by case. It says nothing of speed."""

from __future__ import annotations

from camp.bench.results import BenchResult, CaseResult
from camp.cli.counters_view import show_counters
from camp.cli.table import show_table
from camp.cli.terminal import Terminal
from camp.counters.model import Counters


def show_traffic(terminal: Terminal, result: BenchResult) -> None:
    """The bytes of every case, and everything that was counted of the last one."""
    counted = [(case, case.counters) for case in result.cases if case.counters is not None]
    headings = ["case", "minimum B", "moved B", "x minimum", "requests", "sectors", "conflicts"]
    show_table(
        terminal,
        headings,
        [_cells(case, counters) for case, counters in counted],
        right=headings[1:],
        droppable=["minimum B", "requests", "moved B", "sectors"],
    )
    if counted:
        show_counters(terminal, counted[-1][1])
    terminal.say(f"seed {result.seed}", "dim")


def _cells(case: CaseResult, counters: Counters) -> list[str]:
    return [
        case.case.name,
        f"{counters.minimum_bytes:,}",
        f"{counters.in_global.moved_bytes:,}",
        f"{counters.over_minimum:.2f}",
        f"{counters.in_global.requests:,}",
        f"{counters.in_global.sectors:,}",
        f"{counters.in_shared.bank_conflicts:,}",
    ]
