"""excerpt: lines of a source file with a mark under the one that matters."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from camp.cli.marks import access_span, display_width, statement_span
from camp.cli.terminal import Terminal

_TAB = 4


@dataclass(frozen=True)
class Mark:
    """What to underline in a line: its 1-based column, or an access to `name`, or (where neither
    is known) the whole statement."""

    column: int = 0
    name: str = ""
    access: str = ""


_STATEMENT = Mark()


def shown_path(path: str | Path) -> str:
    """`path` as seen from the current folder when it lies in it, else as it is."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return str(path)
    return str(path) if relative.startswith("..") else relative


def excerpt(path: str | Path, line: int, mark: Mark = _STATEMENT, context: int = 1) -> list[str]:
    """Numbered lines around `line` (1-based) and a caret line; empty when there is no such line."""
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    if not 1 <= line <= len(lines):
        return []
    first, last = max(1, line - context), min(len(lines), line + context)
    gutter = len(str(last))
    shown = []
    for number in range(first, last + 1):
        text, _ = _expand(lines[number - 1])
        shown.append(f"{number:>{gutter}} | {text}".rstrip())
        if number == line:
            shown.append(f"{' ' * gutter} | {_carets(lines[number - 1], mark)}")
    return shown


def show_excerpt(
    terminal: Terminal,
    path: str | Path,
    line: int,
    mark: Mark = _STATEMENT,
    *,
    indent: int = 2,
    context: int = 1,
) -> None:
    """Prints the excerpt, the marked line in bold; nothing where the file cannot be read.

    On a narrow terminal it shows the part of the lines where the mark begins.
    """
    lines = excerpt(path, line, mark, context)
    room = None if terminal.width is None else max(terminal.width - indent, 20)
    carets = [text.index("^") for text in lines if text.partition("|")[2].lstrip()[:1] == "^"]
    for number, text in enumerate(_cut(lines, carets[0] if carets else 0, room)):
        marked = text.lstrip().startswith(f"{line} |")
        caret = number > 0 and lines[number - 1].lstrip().startswith(f"{line} |")
        styles = ("bold",) if marked else ("red",) if caret else ("dim",)
        terminal.raw(" " * indent + terminal.paint(text, *styles))


def _expand(text: str) -> tuple[str, list[int]]:
    """`text` with blanks for tabs and marks for control characters, and the column at which each
    character begins; one more for the end."""
    shown, columns, at = "", [], 0
    for character in text:
        columns.append(at)
        if character == "\t":
            piece = " " * (_TAB - at % _TAB)
        else:
            piece = character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
        shown += piece
        at += display_width(piece)
    return shown, [*columns, at]


def _carets(text: str, mark: Mark) -> str:
    _, columns = _expand(text)
    if 1 <= mark.column <= len(text) + 1:
        return " " * columns[mark.column - 1] + "^"
    begin, end = access_span(text, mark.name, mark.access) or statement_span(text)
    return " " * columns[begin] + "^" + "~" * max(0, columns[end] - columns[begin] - 1)


def _cut(lines: list[str], caret: int, room: int | None) -> list[str]:
    """The lines within `room` columns, the one of the caret among them; … stands for the rest."""
    if room is None or all(display_width(text) <= room for text in lines):
        return lines
    gutter = lines[0].index("|") + 2
    skipped = max(0, caret - room // 2) if caret >= room - 4 else 0
    cut = []
    for text in lines:
        head, body = text[:gutter], text[gutter:]
        if skipped:
            body = _from(body, skipped)
        if len(head) + display_width(body) > room:
            body = _within(body, room - len(head) - 1) + "…"
        cut.append(head + body)
    return cut


def _from(body: str, skipped: int) -> str:
    """What of `body` lies right of column `skipped`, behind a … where something was left out."""
    at = 0
    for number, character in enumerate(body):
        if at > skipped:
            # A wide character that is cut in two leaves a blank.
            lead = " " if body.lstrip().startswith("^") else "…"
            return lead + " " * (at - skipped - 1) + body[number:]
        at += display_width(character)
    return ""


def _within(body: str, columns: int) -> str:
    kept, at = "", 0
    for character in body:
        at += display_width(character)
        if at > columns:
            break
        kept += character
    return kept
