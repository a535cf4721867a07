"""bench_view: tables of times on a GPU, of counters on the simulator."""

from __future__ import annotations

from camp.bench.results import BenchResult, CaseResult, Outcome
from camp.bench.statistics import faster
from camp.cli.counters_view import show_counters
from camp.cli.table import show_table
from camp.cli.terminal import Terminal
from camp.counters.model import Counters

_NARROWEST = 60


def show_bench(terminal: Terminal, result: BenchResult) -> None:
    """Prints one operator's result: conditions, a table, what went wrong, the notes."""
    device = result.device.get("name", "no device")
    terminal.say(f"on {result.backend} ({device})", "bold", label=f"{result.op} ")
    if result.backend == "sim":
        _show_traffic(terminal, result)
    else:
        _show_times(terminal, result)
    for case in result.cases:
        if case.outcome is not Outcome.OK:
            color = "yellow" if case.outcome is Outcome.SKIPPED else "red"
            label = f"{case.case.name}: {case.outcome.value.replace('_', ' ')}: "
            terminal.say(case.message, color, label=label)
    for note in dict.fromkeys(note for case in result.cases for note in case.notes):
        terminal.say(note, label="note: ")


def _show_times(terminal: Terminal, result: BenchResult) -> None:
    timed = [case for case in result.cases if case.kernel is not None]
    peers = list(dict.fromkeys(name for case in timed for name in case.peers))
    headings = ["case", "median us", "p10..p90 us", "GB/s", "% of copy", "copy us"]
    headings += [f"{peer} us" for peer in peers]
    show_table(
        terminal,
        headings,
        [_time_cells(case, peers) for case in timed],
        right=headings[1:],
        droppable=["p10..p90 us", "copy us"],
    )
    _show_conditions(terminal, result, timed)


def _time_cells(case: CaseResult, peers: list[str]) -> list[str]:
    assert case.kernel is not None
    summary = case.kernel.summary
    cells = [
        case.case.name,
        _us(summary.median),
        f"{_us(summary.p10)}..{_us(summary.p90)}",
        f"{case.gbps:.0f}",
        f"{case.percent_of('copy'):.0f}",
        _us(case.ceilings["copy"].summary.median),
    ]
    for peer in peers:
        timed = case.peers.get(peer)
        if timed is None:
            cells.append("")
            continue
        # Within noise neither is ahead.
        ahead = faster(summary, timed.summary)
        behind = faster(timed.summary, summary)
        mark = " (slower)" if ahead else " (faster)" if behind else " (even)"
        cells.append(_us(timed.summary.median) + mark)
    return cells


def _us(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.1f}"


def _show_conditions(terminal: Terminal, result: BenchResult, timed: list[CaseResult]) -> None:
    stops: dict[str, int] = {}
    for case in timed:
        assert case.kernel is not None
        stops[case.kernel.stop] = stops.get(case.kernel.stop, 0) + 1
    fewest = min((case.kernel.summary.n for case in timed if case.kernel), default=0)
    sampling = ", ".join(f"{count} ended by {stop}" for stop, count in stops.items())
    terminal.say(
        "cold: rotating buffers of at least 8 x L2 and 512 MiB; random data; candidates "
        "interleaved; the copy is the device's own copy of the same number of bytes; "
        f"at least {fewest} samples a case ({sampling}); seed {result.seed}",
        "dim",
    )
    before, after = result.conditions.get("clocks_before"), result.conditions.get("clocks_after")
    if before and after:
        terminal.say(
            f"SM {before['sm']} before, {after['sm']} after; memory {after['memory']}; "
            f"throttle reasons {after['throttle_reasons']}",
            "dim",
            label="clocks: ",
        )
    else:
        terminal.say("not recorded (nvidia-smi is missing)", "dim", label="clocks: ")


def _show_traffic(terminal: Terminal, result: BenchResult) -> None:
    """The bytes of every case, and everything that was counted of the last one."""
    narrow = terminal.width is not None and terminal.width < _NARROWEST
    counted = [(case, case.counters) for case in result.cases if case.counters is not None]
    headings = ["case", "minimum B", "moved B", "x minimum", "requests", "sectors", "conflicts"]
    show_table(
        terminal,
        headings,
        [_traffic_cells(case, counters) for case, counters in counted],
        right=headings[1:],
        droppable=["minimum B", "requests", *(["moved B"] if narrow else [])],
    )
    if counted:
        show_counters(terminal, counted[-1][1])
    terminal.say(f"seed {result.seed}", "dim")


def _traffic_cells(case: CaseResult, counters: Counters) -> list[str]:
    return [
        case.case.name,
        f"{counters.minimum_bytes:,}",
        f"{counters.in_global.moved_bytes:,}",
        f"{counters.over_minimum:.2f}",
        f"{counters.in_global.requests:,}",
        f"{counters.in_global.sectors:,}",
        f"{counters.in_shared.bank_conflicts:,}",
    ]
