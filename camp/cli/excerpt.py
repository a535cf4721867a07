"""excerpt: lines of a source file with a mark under the one that matters."""

from __future__ import annotations

import os
from pathlib import Path

from camp.cli.terminal import Terminal


def shown_path(path: str | Path) -> str:
    """`path` as seen from the current folder when it lies in it, else as it is."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return str(path)
    return str(path) if relative.startswith("..") else relative


def excerpt(path: str | Path, line: int, column: int = 0, context: int = 1) -> list[str]:
    """Numbered lines around `line` (1-based) and a caret line; empty when there is no such line.

    `column` is 1-based in the file's characters; 0 underlines the whole statement.
    """
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
        text = lines[number - 1].expandtabs(4)
        shown.append(f"{number:>{gutter}} | {text}".rstrip())
        if number == line:
            shown.append(f"{' ' * gutter} | {_mark(lines[number - 1], column)}")
    return shown


def _mark(text: str, column: int) -> str:
    if 1 <= column <= len(text) + 1:
        return " " * len(text[: column - 1].expandtabs(4)) + "^"
    body = text.expandtabs(4)
    code = body.split("//")[0].rstrip() or body.rstrip()
    start = len(code) - len(code.lstrip())
    return " " * start + "^" + "~" * max(0, len(code) - start - 1)


def show_excerpt(
    terminal: Terminal, path: str | Path, line: int, column: int = 0, indent: int = 2
) -> None:
    """Prints the excerpt, the marked line in bold; nothing where the file cannot be read.

    On a narrow terminal it shows the part of the lines where the mark begins.
    """
    lines = excerpt(path, line, column)
    room = None if terminal.width is None else max(terminal.width - indent, 20)
    carets = [text.index("^") for text in lines if text.partition("|")[2].lstrip()[:1] == "^"]
    for number, text in enumerate(_cut(lines, carets[0] if carets else 0, room)):
        marked = text.lstrip().startswith(f"{line} |")
        caret = number > 0 and lines[number - 1].lstrip().startswith(f"{line} |")
        styles = ("bold",) if marked else ("red",) if caret else ("dim",)
        terminal.raw(" " * indent + terminal.paint(text, *styles))


def _cut(lines: list[str], caret: int, room: int | None) -> list[str]:
    """The lines within `room` columns, the one of the caret among them; … stands for the rest."""
    if room is None or all(len(text) <= room for text in lines):
        return lines
    gutter = lines[0].index("|") + 2
    skipped = max(0, caret - room // 2) if caret >= room - 4 else 0
    cut = []
    for text in lines:
        head, body = text[:gutter], text[gutter + skipped :]
        if skipped and body.strip():
            body = "…" + body[1:]
        if len(head) + len(body) > room:
            body = body[: room - len(head) - 1] + "…"
        cut.append(head + body)
    return cut
