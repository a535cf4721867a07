"""history: what `camp bench` has remembered of an operator, case by case."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from camp.bench.history import by_case
from camp.cli.bench_view import change_text, us
from camp.cli.options import Json, speak_json
from camp.cli.table import show_table
from camp.cli.terminal import err, out
from camp.errors import UsageError
from camp.git import short
from camp.progress import Benchmark, ProgressStore
from camp.spec import require_operator
from camp.workspace import Workspace

_Runs = Sequence[tuple[Benchmark, str | None]]


def history(
    op: Annotated[str, typer.Argument(metavar="OP", help="An operator id.")],
    case: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="NAME", help="Only this case; may be repeated."),
    ] = None,
    last: Annotated[
        int, typer.Option("--last", metavar="N", min=1, help="How many runs of each case.")
    ] = 5,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE.png|.svg", help="Draw all runs on the last device."),
    ] = None,
    as_json: Json = False,
) -> int:
    """Show the measurements of an operator over time.

    "faster", "slower" and "no change" compare with the run before on the same device.
    """
    speak_json(as_json)
    workspace = Workspace.find()
    require_operator(workspace.root, op)
    if plot is not None:
        from camp.bench.plots import require_plots

        require_plots(plot)
    store = ProgressStore(workspace.state_dir)
    cases = by_case(store.benchmarks(op))
    for name in case or ():
        if name not in cases:
            raise UsageError(
                f"no measurement of case '{name}' of {op} is remembered",
                hint=f"cases: {', '.join(cases)}" if cases else f"`camp bench --op {op}` on a GPU",
            )
    chosen = {name: runs[-last:] for name, runs in cases.items() if not case or name in case}
    if as_json:
        _print(op, chosen, store.notices)
    elif not chosen:
        out().say(f"nothing is remembered yet; `camp bench --op {op}` on a GPU", label=f"{op}: ")
    else:
        _show(chosen)
    if plot is not None:
        from camp.cli.bench_plots import draw_history

        draw_history(workspace, op, plot, cases=list(chosen))
    for notice in store.notices:
        err().say(notice, "yellow", label="notice: ")
    return 0


def _print(op: str, cases: Mapping[str, _Runs], notices: Sequence[str]) -> None:
    document = {
        "operator": op,
        "cases": {
            name: [{**asdict(row), "since_last": change} for row, change in runs]
            for name, runs in cases.items()
        },
        "notices": list(notices),
    }
    sys.stdout.write(json.dumps(document, indent=2) + "\n")


def _show(cases: Mapping[str, _Runs]) -> None:
    headings = ["case", "when (UTC)", "commit", "us", "[p10 p90]", "% of ceiling", "x best peer"]
    headings += ["since last", "device"]
    rows = []
    for name, runs in cases.items():
        for number, (row, change) in enumerate(runs):
            peer = f"{row.times_best_peer:.3f} {row.best_peer}" if row.times_best_peer else ""
            rows.append(
                [
                    "" if number else name,
                    row.made_at[:16].replace("T", " "),
                    short(row.git_commit),
                    us(row.median_us),
                    f"[{us(row.p10_us)} {us(row.p90_us)}]",
                    f"{row.ceiling_percent:.1f} {row.ceiling_kind}",
                    peer,
                    change_text(change or ""),
                    row.device,
                ]
            )
    show_table(
        out(),
        headings,
        rows,
        right=["us", "[p10 p90]"],
        droppable=["device", "x best peer", "commit", "[p10 p90]", "% of ceiling", "when (UTC)"],
    )
