"""heat_view: source lines with what they cost beside them, and a mark of how much they waste."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from camp.cli.excerpt import shown_path
from camp.cli.terminal import Terminal
from camp.counters.counts import Counts
from camp.counters.lines import LineCounters, lines
from camp.counters.model import Counters

# The least share of the call for each mark, and how it is painted.
_HEAT = ((0.35, ("red", "bold")), (0.15, ("red",)), (0.05, ("yellow", "bold")), (0.01, ("yellow",)))
_CONTEXT = 2  # lines shown around one that was counted
_NAMES = ("sectors", "wavefronts", "atomics", "lanes", "x min")
_COLUMNS_WIDTH = 70  # with less, values stand under their line


@dataclass(frozen=True)
class _Cell:
    """A value with its ideal, and whether it is beyond it."""

    text: str
    beyond: bool = False


def show_heat(terminal: Terminal, counters: Counters) -> None:
    """Prints the files whose lines were counted, the lines around the counted ones left out."""
    found = lines(counters)
    for file, group in groupby(found, key=lambda line: line.place.file):
        counted = {line.place.line: line for line in group}
        terminal.raw()
        terminal.say(shown_path(file), "bold")
        _show_file(terminal, file, counted, counters.minimum_bytes)
    if found:
        terminal.say(
            "heat: the part of all passes to memory, or of all lanes, that the line wastes: "
            "# from 1%, ## 5%, ### 15%, #### 35%",
            "dim",
        )


def per_request(counts: Counts, measured: int, ideal: int) -> str:
    """A mean over requests and its ideal; "" without requests."""
    if not counts.requests:
        return ""
    return f"{counts.per_request(measured):.1f}/{counts.per_request(ideal):.1f}"


def _show_file(
    terminal: Terminal, file: str, counted: dict[int, LineCounters], minimum_bytes: int
) -> None:
    source = _source(file)
    cells = {number: _cells(line, minimum_bytes) for number, line in counted.items()}
    widths = {
        name: max(len(name), *(len(row[name].text) for row in cells.values() if name in row))
        for name in _NAMES
        if any(name in row for row in cells.values())
    }
    in_columns = terminal.width is None or terminal.width >= _COLUMNS_WIDTH
    if in_columns:
        headings = ["heat", *(name.rjust(width) for name, width in widths.items())]
        terminal.raw(terminal.paint(" ".join(headings), "dim"))
    gutter = len(str(max(counted)))
    previous = 0
    for number in _shown(counted, len(source)):
        if previous and number > previous + 1:
            terminal.raw(terminal.paint("...", "dim"))
        previous = number
        row = cells.get(number, {})
        left = _heat(terminal, counted.get(number))
        taken = 4
        if in_columns:
            left += "".join(
                " " + _painted(terminal, row.get(name, _Cell("")), width)
                for name, width in widths.items()
            )
            taken += sum(1 + width for width in widths.values())
        text = source[number - 1] if number <= len(source) else ""
        _show_line(terminal, left, taken, f" {number:>{gutter}} |", text, number in counted)
        if not in_columns and (len(row) > 1 or any(cell.beyond for cell in row.values())):
            _show_below(terminal, row, taken + gutter + 4)


def _show_line(
    terminal: Terminal, left: str, taken: int, number: str, text: str, is_counted: bool
) -> None:
    """A source line behind what is `left` of it, which takes so many columns."""
    if text:
        room = None if terminal.width is None else terminal.width - taken - len(number) - 1
        text = " " + terminal.paint(_cut(text, room), *(() if is_counted else ("dim",)))
    terminal.raw(left + terminal.paint(number, "dim") + text)


def _painted(terminal: Terminal, cell: _Cell, width: int = 0) -> str:
    text = cell.text.rjust(width)
    return terminal.paint(text, "red" if cell.beyond else "dim") if cell.text else text


def _show_below(terminal: Terminal, row: dict[str, _Cell], indent: int) -> None:
    """On a narrow terminal: the values below their line, names and all."""
    width = terminal.width or _COLUMNS_WIDTH
    parts: list[str] = []
    taken = indent
    for name, cell in row.items():
        size = len(name) + 1 + len(cell.text) + 2
        if parts and taken + size > width:
            terminal.raw(" " * indent + "  ".join(parts))
            taken, parts = indent, []
        taken += size
        parts.append(terminal.paint(f"{name} ", "dim") + _painted(terminal, cell))
    terminal.raw(" " * indent + "  ".join(parts))


def _cells(line: LineCounters, minimum_bytes: int) -> dict[str, _Cell]:
    """The values of a line by heading; what did not happen is left out."""
    row = {}
    in_global, in_shared = line.in_global, line.in_shared
    if in_global.requests:
        row["sectors"] = _pair(in_global, in_global.sectors, in_global.ideal_sectors)
    if in_shared.requests:
        row["wavefronts"] = _pair(in_shared, in_shared.wavefronts, in_shared.ideal_wavefronts)
    atomics = in_global + in_shared
    if atomics.turns:
        row["atomics"] = _Cell(f"{atomics.turns / atomics.requests:.1f}/1", atomics.waits > 0)
    if line.active_lanes is not None and line.ideal_lanes is not None:
        text = f"{line.active_lanes:.1f}/{line.ideal_lanes:.0f}"
        row["lanes"] = _Cell(text, line.active_lanes < 0.95 * line.ideal_lanes)
    if in_global.requests and minimum_bytes:
        row["x min"] = _Cell(f"{in_global.moved_bytes / minimum_bytes:.2f}")
    return row


def _pair(counts: Counts, measured: int, ideal: int) -> _Cell:
    return _Cell(per_request(counts, measured, ideal), measured > 1.05 * ideal)


def _heat(terminal: Terminal, line: LineCounters | None) -> str:
    """Four columns: one mark for each bound that the line's waste reaches."""
    waste = line.waste if line else 0.0
    marks = sum(waste >= bound for bound, _ in _HEAT)
    text = ("#" * marks).ljust(4)
    return terminal.paint(text, *_HEAT[-marks][1]) if marks else text


def _shown(counted: dict[int, LineCounters], length: int) -> list[int]:
    """Numbers of the lines to show: the counted ones and those around them."""
    near = {
        number
        for line in counted
        for number in range(line - _CONTEXT, line + _CONTEXT + 1)
        if 1 <= number <= max(length, line)
    }
    return sorted(near)


def _source(file: str) -> Sequence[str]:
    try:
        text = Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [
        "".join(c if c.isprintable() else "?" for c in line.expandtabs(4))
        for line in text.splitlines()
    ]


def _cut(text: str, room: int | None) -> str:
    """The beginning that fits; … stands for the rest."""
    if room is None or len(text) <= room:
        return text
    return text[: max(room - 1, 0)] + "…"
