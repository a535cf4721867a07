"""table: rows under headings, as wide as the terminal allows; cells wrap, nothing is cut off."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from camp.cli.terminal import Terminal

PIPE_WIDTH = 200
NARROW = 90


def show_table(
    terminal: Terminal,
    headings: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    right: Collection[str] = (),
    droppable: Collection[str] = (),
) -> None:
    """Prints a table. Cells are str or rich text; `right` columns align right; `droppable` ones
    are left out where the terminal is narrower than NARROW."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    width = terminal.width or PIPE_WIDTH
    console = Console(
        file=terminal.stream,
        width=width,
        no_color=not terminal.color,
        force_terminal=terminal.color,
        highlight=False,
        emoji=False,
        markup=False,
    )
    kept = [
        number
        for number, heading in enumerate(headings)
        if width >= NARROW or heading not in droppable
    ]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number in kept:
        heading = headings[number]
        justify: Any = "right" if heading in right else "left"
        table.add_column(heading, justify=justify, overflow="fold", no_wrap=heading in right)
    for row in rows:
        table.add_row(*(row[number] for number in kept))
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        terminal.raw(line.rstrip())
