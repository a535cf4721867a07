"""report: what was measured, as tables for a terminal and for a page."""

from __future__ import annotations

import datetime
import platform
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from camp.errors import UsageError
from camp.toolchain import require_cxx
from tests.compare_simulators.comparison import Row, Scaling

BEGIN = "<!-- measured: begin -->"
END = "<!-- measured: end -->"
# What the simulator is meant to reach: seconds of one core, and how many times faster than the
# peers with their checks on.
SECONDS = {"softmax": 1.0, "gemm": 0.8}
TIMES_FASTER = {"Oclgrind": 100, "Numba": 1000}
SHADOW_BYTES = 8.0
SHARE_OF_LINEAR = 0.8


@dataclass(frozen=True)
class Table:
    """Cells as text; all columns but the first `left` are numbers."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    left: int

    def markdown(self) -> str:
        bars = ["---" if i < self.left else "---:" for i in range(len(self.headings))]
        lines = ["| " + " | ".join(cells) + " |" for cells in (self.headings, bars, *self.rows)]
        return f"{self.title}\n\n" + "\n".join(lines) + "\n"


def digits(value: float) -> str:
    """Three significant digits, never an exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ours(rows: Sequence[Row], problem: str) -> Row:
    return next(row for row in rows if row.simulator == "Camp" and row.problem.name == problem)


def size_text(row: Row) -> str:
    return "x".join(str(size) for size in row.problem.sizes)


def comparison_table(rows: Sequence[Row], cores: int) -> Table:
    """On one core by processor time, on several by the clock."""
    cells = []
    for row in rows:
        blocks = row.problem.blocks
        cells.append(
            (
                f"{row.problem.name} {size_text(row)}",
                row.simulator,
                row.checks,
                "all" if row.blocks_run == blocks else f"{row.blocks_run} of {blocks}",
                f"{row.problem.accesses / 1e6:.1f} M",
                digits(row.cost.cpu_s),
                digits(row.cost.wall_s),
                digits(row.ns_per_access),
                digits(row.times_slower(ours(rows, row.problem.name), by_clock=cores > 1)),
            )
        )
    headings = ("kernel", "simulator", "checks", "blocks run", "accesses", "CPU s", "clock s")
    headings += ("CPU ns an access", "times ours")
    used = "One core, compared" if cores == 1 else f"{cores} cores, compared"
    by = "by CPU time" if cores == 1 else "by the clock"
    return Table(f"{used} {by}:", headings, cells, 4)


def scaling_table(scaling: Sequence[Scaling]) -> Table:
    cells = []
    for entry in scaling:
        one = next(s for s in scaling if s.problem == entry.problem and s.cores == 1).cost
        cells.append(
            (
                entry.problem.name,
                str(entry.cores),
                digits(entry.cost.wall_s),
                digits(entry.cost.cpu_s),
                digits(entry.cost.waited_s),
                digits(one.wall_s / entry.cost.wall_s),
            )
        )
    headings = ("kernel", "cores", "clock s", "CPU s", "waited s", "times one core")
    return Table("Camp over the cores:", headings, cells, 1)


def goals_table(rows: Sequence[Row], scaling: Sequence[Scaling], shadow: float) -> Table:
    """Every goal with what was measured. A peer that did not run has no row."""
    cells = []

    def goal(what: str, wanted: str, measured: float, reached: bool, no: str = "no") -> None:
        cells.append((what, wanted, digits(measured), "yes" if reached else no))

    for name, limit in SECONDS.items():
        row = ours(rows, name)
        what = f"{name} {size_text(row)}, CPU seconds of one core"
        goal(what, f"at most {limit}", row.cost.cpu_s, row.cost.cpu_s <= limit)
    for row in rows:
        if row.simulator in TIMES_FASTER and row.checks.split()[0] in ("all", "none"):
            wanted = TIMES_FASTER[row.simulator]
            times = row.times_slower(ours(rows, row.problem.name))
            what = f"{row.problem.name}, times faster than {row.simulator} ({row.checks})"
            goal(what, f"at least {wanted}", times, times >= wanted)
    for entry in scaling:
        if entry.cores > 1:
            one = next(s for s in scaling if s.problem == entry.problem and s.cores == 1)
            least = SHARE_OF_LINEAR * entry.cores
            times = one.cost.wall_s / entry.cost.wall_s
            what = f"{entry.problem.name}, {entry.cores} cores, times one core"
            free = one.undisturbed and entry.undisturbed
            no = "no" if free else "not judged: the cores were busy"
            goal(what, f"at least {digits(least)}", times, times >= least and free, no)
    goal("bytes kept for a byte of tensors", "at most 8", shadow, round(shadow, 1) <= SHADOW_BYTES)
    return Table("Goals:", ("goal", "wanted", "measured", "reached"), cells, 1)


def machine(versions: Sequence[str]) -> str:
    """Processor, compiler, the simulators' versions and the date, as one sentence."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    told = subprocess.run(
        [str(require_cxx()), "--version"], capture_output=True, text=True, check=True
    ).stdout
    processor = model.group(1) if model else platform.machine()
    today = datetime.date.today().isoformat()
    return f"{processor}; {told.splitlines()[0]}; {', '.join(versions)}; {today}."


def page_with(text: str, measured: str) -> str:
    """`text` with the part between its two markers replaced. Raises UsageError without them."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UsageError(f"the page lacks the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{measured.rstrip()}\n{END}{after}"
