"""timeline: the remembered measurements of an operator in a picture, a small plot a case.

Each point is one run: the median with p10..p90, coloured by what became of it since the run before
(only intervals that do not touch are a change), and named by its commit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from camp.bench.history import FASTER, SAME, SLOWER, by_case
from camp.bench.plots import FAINT, INK, new_figure, style
from camp.git import short
from camp.progress import Benchmark

COLUMNS = 3
SHOWN_RUNS = 20
_LABELS = 6  # commits named under one plot
_FIRST = "first"
_LOOKS = {
    _FIRST: ("#0072b2", "o"),
    SAME: (FAINT, "o"),
    FASTER: ("#009e73", "v"),  # down: less time
    SLOWER: ("#d55e00", "^"),
}
_MIN_SPAN = 0.06  # of the median: noise is not blown up to fill the plot


def timeline(op: str, stored: Sequence[Benchmark]) -> Any:
    """A matplotlib Figure of measurements on one device, oldest first; None without any."""
    if not stored:
        return None
    cases = by_case(stored)
    columns = min(COLUMNS, len(cases))
    lines = math.ceil(len(cases) / columns)
    with style():
        figure = new_figure(max(3.7 * columns, 5.2), 2.35 * lines + 0.9)
        first, last = stored[0].made_at[:10], stored[-1].made_at[:10]
        dates = last if first == last else f"{first} to {last}"
        title = f"{op} on {stored[-1].device}, {dates}"
        legend = "median and p10..p90 of each run, by commit (+: changes that are not in it)"
        figure.suptitle(f"{title}\n{legend}", fontsize=10, color=INK)
        grid = figure.subplots(lines, columns, squeeze=False)
        for axes in grid.flat[len(cases) :]:
            axes.set_visible(False)
        for axes, (name, runs) in zip(grid.flat, cases.items(), strict=False):
            _draw(axes, name, runs[-SHOWN_RUNS:])
        for axes in grid[:, 0]:
            axes.set_ylabel("µs")
        handles = [_handle(what) for what in _LOOKS]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _draw(axes: Any, name: str, runs: Sequence[tuple[Benchmark, str | None]]) -> None:
    medians = [row.median_us for row, _ in runs]
    axes.plot(range(len(runs)), medians, "-", color="#d5d5d5", lw=1.0, zorder=1)
    for number, (row, change) in enumerate(runs):
        color, marker = _LOOKS[change or _FIRST]
        axes.errorbar(
            [number],
            [row.median_us],
            yerr=[[row.median_us - row.p10_us], [row.p90_us - row.median_us]],
            fmt=marker,
            color=color,
            elinewidth=1.3,
            capsize=2.5,
            markersize=5.5,
        )
    low, high = min(row.p10_us for row, _ in runs), max(row.p90_us for row, _ in runs)
    pad = max((_MIN_SPAN * medians[-1] - (high - low)) / 2, 0.12 * (high - low))
    axes.set_ylim(low - pad, high + pad)
    axes.set_xlim(-0.6, len(runs) - 0.4)
    step = math.ceil(len(runs) / _LABELS)
    # Counted from the end: the latest run always has its name.
    named = range((len(runs) - 1) % step, len(runs), step)
    names = [short(runs[number][0].git_commit) or runs[number][0].made_at[5:10] for number in named]
    axes.set_xticks(list(named), names, rotation=30, ha="right", rotation_mode="anchor", fontsize=7)
    axes.grid(axis="x", visible=False)
    axes.set_title(f"{name}: {medians[-1]:,.4g} µs")


def _handle(what: str) -> Any:
    from matplotlib.lines import Line2D

    color, marker = _LOOKS[what]
    label = {_FIRST: "first run", SAME: "no change"}.get(what, what)
    return Line2D([], [], color=color, marker=marker, linestyle="none", label=label)
