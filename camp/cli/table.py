"""table: rows under headings, as wide as the terminal allows; cells wrap, nothing is cut off."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from camp.cli.marks import display_width
from camp.cli.terminal import Terminal

PIPE_WIDTH = 200
_GAP = 3  # blanks between two columns


def show_table(
    terminal: Terminal,
    headings: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    right: Collection[str] = (),
    droppable: Sequence[str] = (),
) -> list[str]:
    """Prints a table; gives the headings that were shown. Cells are str or rich text; `right`
    columns align right; `droppable` ones are left out, the first first, until the table fits the
    terminal. A pipe gets all of them."""
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
    kept = _fitting(headings, rows, droppable, terminal.width)
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
    return [headings[number] for number in kept]


def _fitting(
    headings: Sequence[str],
    rows: Sequence[Sequence[Any]],
    droppable: Sequence[str],
    width: int | None,
) -> list[int]:
    """The numbers of the columns that are shown."""
    widths = [
        max(display_width(str(cell)) for cell in (heading, *(row[number] for row in rows)))
        for number, heading in enumerate(headings)
    ]
    kept = list(range(len(headings)))
    for heading in droppable:
        if width is None or sum(widths[n] for n in kept) + _GAP * (len(kept) - 1) <= width:
            break
        kept = [number for number in kept if headings[number] != heading]
    return kept
