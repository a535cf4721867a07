"""profile_view: what Nsight Compute counted, one row a fact, one column a kernel."""

from __future__ import annotations

from collections.abc import Callable

from camp.cli.excerpt import shown_path
from camp.cli.table import show_table
from camp.cli.terminal import Terminal
from camp.profile.metrics import KernelProfile
from camp.profile.run import ProfileResult

_STALLS = {
    "barrier": "a barrier",
    "branch_resolving": "a branch",
    "dispatch_stall": "the dispatcher",
    "drain": "stores to leave",
    "gmma": "tensor cores",
    "imc_miss": "constants",
    "lg_throttle": "the memory queue",
    "long_scoreboard": "global memory",
    "math_pipe_throttle": "arithmetic units",
    "membar": "a fence",
    "mio_throttle": "the shared-memory queue",
    "no_instruction": "instructions",
    "short_scoreboard": "shared memory",
    "sleeping": "sleep",
    "tex_throttle": "the texture queue",
    "wait": "a fixed latency",
}


def show_profile(terminal: Terminal, result: ProfileResult) -> None:
    """Prints the table, the next bottleneck, and under what conditions it was counted."""
    terminal.say(
        f"{result.case.name} on nvidia, {shown_path(result.kernel)}", "bold", label=f"{result.op} "
    )
    kernels = result.kernels
    names = [_label(kernel, number, len(kernels)) for number, kernel in enumerate(kernels, 1)]
    rows = [[title, *(cell(kernel) for kernel in kernels)] for title, cell in _ROWS]
    show_table(terminal, ["", *names], rows, right=names)
    if len(kernels) > 1:
        terminal.say(
            f"{result.slowest.name} takes most of the call's {_total(kernels)} us", indent=0
        )
    found = result.bottleneck
    if found is None:
        text = "none that these counters tell: compare with the peers of `camp bench`"
        terminal.say(text, "cyan", label="next bottleneck: ")
    else:
        terminal.say(found.text, "cyan", label="next bottleneck: ")
        terminal.say(found.source, "dim", label="source: ")
    for note in result.notes:
        terminal.say(note, "yellow", label="note: ")
    terminal.say(
        "one call, counted in several passes with cold caches and clocks left as they are; for "
        f"times use `camp bench --op {result.op}`",
        "dim",
    )


def _label(kernel: KernelProfile, number: int, count: int) -> str:
    return kernel.name if count == 1 else f"{number} {kernel.name}"


def _total(kernels: tuple[KernelProfile, ...]) -> str:
    return f"{sum(kernel.time_us or 0.0 for kernel in kernels):.1f}"


def _launch(kernel: KernelProfile) -> str:
    if kernel.grid is None or kernel.block is None:
        return "-"
    return f"{kernel.grid:,} x {kernel.block:,}"


def _dram(kernel: KernelProfile) -> str:
    read, written = kernel.dram_read_bytes, kernel.dram_written_bytes
    if read is None or written is None:
        return "-"
    return f"{read / 1e6:.1f} + {written / 1e6:.1f}"


def _against_ideal(sectors: float | None, kernel: KernelProfile) -> str:
    ideal = kernel.ideal_sectors
    if sectors is None or not ideal:
        return "-"
    return f"{sectors:,.0f} ({sectors / ideal:.2f} x)"


def _occupancy(kernel: KernelProfile) -> str:
    achieved, possible = kernel.occupancy_percent, kernel.possible_percent
    if achieved is None or possible is None:
        return "-"
    return f"{achieved:.0f} of {possible:.0f}"


def _conflicts(kernel: KernelProfile) -> str:
    conflicts, wavefronts = kernel.bank_conflicts, kernel.shared_wavefronts
    if conflicts is None or wavefronts is None:
        return "-"
    if not wavefronts:
        return "0"
    return f"{conflicts:,.0f} ({conflicts / wavefronts:.0%} of passes)"


def _stall(kernel: KernelProfile) -> str:
    name, share = kernel.top_stall
    return f"{_STALLS.get(name, name)} ({share:.0%})" if name else "-"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def _count(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


_ROWS: tuple[tuple[str, Callable[[KernelProfile], str]], ...] = (
    ("time us", lambda k: "-" if k.time_us is None else f"{k.time_us:.2f}"),
    ("blocks x threads", _launch),
    ("DRAM MB read + written", _dram),
    ("DRAM % of peak", lambda k: _percent(k.dram_percent)),
    ("L2 % of peak", lambda k: _percent(k.l2_percent)),
    ("L2 sectors (x ideal)", lambda k: _against_ideal(k.l2_sectors, k)),
    ("L1 sectors (x ideal)", lambda k: _against_ideal(k.l1_sectors, k)),
    ("occupancy % of possible %", _occupancy),
    ("limited by", lambda k: k.limiter or "nothing"),
    ("registers a thread", lambda k: _count(k.registers)),
    ("shared bytes a block", lambda k: _count(k.shared_bytes)),
    ("bank conflicts", _conflicts),
    ("warps wait for", _stall),
    ("issue slots used %", lambda k: _percent(k.issue_percent)),
    ("lanes at work of 32", lambda k: "-" if k.lanes is None else f"{k.lanes:.1f}"),
)
