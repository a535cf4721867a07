"""bench_view: tables of times on a GPU, of memory traffic on the simulator."""

from __future__ import annotations

from camp.bench.results import BenchResult, CaseResult, Outcome
from camp.bench.statistics import faster
from camp.bench.traffic import Traffic
from camp.cli.excerpt import shown_path
from camp.cli.table import show_table
from camp.cli.terminal import Terminal


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
    assert case.ceiling is not None
    summary = case.kernel.summary
    cells = [
        case.case.name,
        _us(summary.median),
        f"{_us(summary.p10)}..{_us(summary.p90)}",
        f"{case.gbps:.0f}",
        f"{case.percent_of_copy:.0f}",
        _us(case.ceiling.summary.median),
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
    counted = [(case, case.traffic) for case in result.cases if case.traffic is not None]
    show_table(
        terminal,
        ["case", "minimum B", "moved B", "x minimum", "requests", "sectors", "bank conflicts"],
        [_traffic_cells(case, traffic) for case, traffic in counted],
        right=["minimum B", "moved B", "x minimum", "requests", "sectors", "bank conflicts"],
        droppable=["minimum B", "requests"],
    )
    if counted:
        _show_sites(terminal, *counted[-1])
    terminal.raw()
    terminal.say(
        "memory traffic of one call, counted by the simulator; it says nothing of speed "
        f"(seed {result.seed})",
        "dim",
    )


def _traffic_cells(case: CaseResult, traffic: Traffic) -> list[str]:
    return [
        case.case.name,
        f"{traffic.minimum_bytes:,}",
        f"{traffic.moved_bytes:,}",
        f"{traffic.over_minimum:.2f}",
        f"{traffic.global_requests:,}",
        f"{traffic.global_sectors:,}",
        f"{traffic.bank_conflicts:,}",
    ]


def _show_sites(terminal: Terminal, case: CaseResult, traffic: Traffic) -> None:
    """The lines that moved the bytes of the last case."""
    terminal.raw()
    terminal.say(f"by line, case {case.case.name}:")
    several = len({site.kernel for site in traffic.sites}) > 1
    rows = []
    for site in traffic.sites:
        place = f"{shown_path(site.file)}:{site.line}" if site.file else "(unknown)"
        per_request = (
            f"{site.sectors_per_request:.1f} sectors"
            if site.is_global
            else f"{site.wavefronts / site.requests if site.requests else 0:.1f} wavefronts"
        )
        cells = [place, site.kind.replace("_", " "), f"{site.requests:,}", per_request]
        rows.append([*cells, site.kernel] if several else cells)
    headings = ["line", "access", "requests", "a request"]
    show_table(
        terminal,
        [*headings, "kernel"] if several else headings,
        rows,
        right=["requests", "a request"],
        droppable=["kernel"],
    )
