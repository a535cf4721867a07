"""counters_view: a call's counters: kernels, the source with its heat, what to change."""

from __future__ import annotations

from camp.bench.report import traffic_of
from camp.cli.excerpt import shown_path
from camp.cli.heat_view import per_request, show_heat
from camp.cli.table import show_table
from camp.cli.terminal import Terminal
from camp.counters.advice import Suggestion, suggest
from camp.counters.gpus import Gpu, target_gpu
from camp.counters.model import Counters, KernelCounters
from camp.counters.occupancy import occupancy
from camp.grading.result import CheckResult
from camp.grading.verdict import Verdict
from camp.medals import traffic

_VALUES = ("requests", "sectors", "wavefronts", "lanes", "x min", "occupancy")
_TABLE_WIDTH = 100
_SHOWN_SUGGESTIONS = 6


def show_counters(terminal: Terminal, counters: Counters) -> None:
    """Prints everything about one call, each value with its ideal behind a slash."""
    gpu = target_gpu()
    terminal.raw()
    terminal.say(f"one call of case {counters.case}", "bold", label="counters: ")
    if terminal.width is None or terminal.width >= _TABLE_WIDTH:
        _show_kernels(terminal, counters, gpu)
    else:
        for kernel in counters.kernels:
            _show_kernel(terminal, counters, kernel, gpu)
    show_heat(terminal, counters)
    _show_suggestions(terminal, suggest(counters, gpu))
    _show_conditions(terminal, counters, gpu)


def show_counters_of_check(terminal: Terminal, result: CheckResult) -> None:
    """The counters of a grade, or why there are none."""
    if result.counters is not None:
        show_counters(terminal, result.counters)
        medal = traffic({result.counters.case: traffic_of(result.counters)}).medal or "no medal"
        terminal.say(
            f"worth {medal} in this case; `camp bench --op {result.op} --backend sim` counts all "
            "cases and keeps what they earn",
            label="traffic: ",
        )
    else:
        terminal.say(_why_none(result), "yellow", label="counters: ", indent=2)


def _why_none(result: CheckResult) -> str:
    if result.backend != "sim":
        return f"they come from the simulator: `camp check {result.op} --counters --backend sim`"
    if result.verdict is not Verdict.PASS:
        return "they are of a kernel that passes: one that leaves out work leaves out its cost too"
    return "there is no case to count, or it did not pass when it was run again"


def _show_kernels(terminal: Terminal, counters: Counters, gpu: Gpu) -> None:
    headings = ["kernel", "grid", "block", *_VALUES]
    rows = []
    for kernel in counters.kernels:
        values = _values(counters, kernel, gpu)
        rows.append([_name(kernel), _extents(kernel.grid), _extents(kernel.block), *values])
    used = [column for column, *cells in zip(headings, *rows, strict=True) if any(cells)]
    rows = [
        [cell for column, cell in zip(headings, row, strict=True) if column in used] for row in rows
    ]
    show_table(terminal, used, rows, right=used[1:])


def _show_kernel(terminal: Terminal, counters: Counters, kernel: KernelCounters, gpu: Gpu) -> None:
    """The same on a narrow terminal, one value a line."""
    terminal.say(_name(kernel), "bold")
    shape = f"{_extents(kernel.grid)} blocks of {_extents(kernel.block)} threads"
    terminal.say(shape, label="grid, block  ", indent=2)
    for name, value in zip(_VALUES, _values(counters, kernel, gpu), strict=True):
        if value:
            terminal.say(value, label=name.ljust(13), indent=2)


def _values(counters: Counters, kernel: KernelCounters, gpu: Gpu) -> list[str]:
    """The cells of a kernel under _VALUES; "" for what did not happen."""
    in_global, in_shared = kernel.in_global, kernel.in_shared
    active = kernel.active_lanes
    has = occupancy(gpu, kernel.block_threads, kernel.shared_bytes, kernel.registers)
    limit = "" if has.share >= 1 else f" ({', '.join(has.limited_by)})"
    minimum = counters.minimum_bytes
    return [
        f"{in_global.requests + in_shared.requests:,}",
        per_request(in_global, in_global.sectors, in_global.ideal_sectors),
        per_request(in_shared, in_shared.wavefronts, in_shared.ideal_wavefronts),
        f"{active:.1f}/{kernel.full_lanes:.0f}" if active is not None else "",
        f"{in_global.moved_bytes / minimum:.2f}" if minimum else "",
        f"{has.share:.0%}{limit}",
    ]


def _show_suggestions(terminal: Terminal, suggestions: list[Suggestion]) -> None:
    terminal.raw()
    if not suggestions:
        terminal.say("nothing to change: no rule found waste", "green", label="suggestions: ")
        return
    terminal.say("the largest waste first", "bold", label="suggestions: ")
    for suggestion in suggestions[:_SHOWN_SUGGESTIONS]:
        finding = suggestion.finding
        place = finding.place
        label = f"{shown_path(place.file)}:{place.line}: " if place else f"{finding.kernel}: "
        text = finding.text
        if finding.share >= 0.005:
            text += f" ({finding.share:.0%} of the call)"
        terminal.say(text, "cyan", label=label, indent=2)
        terminal.say(suggestion.rule.source, label="see ", indent=4)
    if len(suggestions) > _SHOWN_SUGGESTIONS:
        terminal.say(f"and {len(suggestions) - _SHOWN_SUGGESTIONS} more (--json has all)", indent=2)


def _show_conditions(terminal: Terminal, counters: Counters, gpu: Gpu) -> None:
    notes = [
        "sectors and wavefronts are means of a request, lanes those of a warp that run together, "
        "each over its ideal",
        "x min is the bytes moved over the operator's minimum",
        f"occupancy is of {gpu}",
    ]
    if any(kernel.registers is None for kernel in counters.kernels):
        notes.append("registers are unknown and taken not to limit it")
    if not counters.has_branches:
        notes.append("lanes are those of memory requests alone")
    notes.append("counted by the simulator, which says nothing of speed")
    terminal.raw()
    terminal.say("; ".join(notes), "dim")


def _name(kernel: KernelCounters) -> str:
    return kernel.name if kernel.launches == 1 else f"{kernel.name} ({kernel.launches} launches)"


def _extents(extents: tuple[int, int, int]) -> str:
    """ "256", or "16 x 16" where more than one axis is used."""
    used = list(extents)
    while len(used) > 1 and used[-1] == 1:
        used.pop()
    return " x ".join(map(str, used))
