"""terminal: how text reaches a person: colour and wrapping on a terminal, plain text elsewhere.

Nothing is ever cut off: what does not fit is wrapped, and a pipe gets whole lines.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import TextIO

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_MIN_WIDTH = 20


class Terminal:
    """One output stream. `width` is None where lines need no wrapping."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.interactive = stream.isatty()
        plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        self.color = self.interactive and not plain
        self.width = _columns() if self.interactive else None

    def paint(self, text: str, *styles: str) -> str:
        """`text` in the styles named, where the stream shows colour."""
        if not self.color or not styles or not text:
            return text
        return f"\033[{';'.join(_STYLES[style] for style in styles)}m{text}\033[0m"

    def raw(self, text: str = "") -> None:
        """One line exactly as given: source excerpts and tables that are laid out already."""
        self.stream.write(text + "\n")

    def say(self, text: str, *styles: str, label: str = "", indent: int = 0) -> None:
        """Wrapped text. `label` is painted and stands before it; later lines align under it, or a
        little to the right of its start where it takes much of the width."""
        taken = indent + len(label)
        hanging = taken if self.width is None or 3 * taken <= self.width else indent + 4
        for number, line in enumerate(self._wrap(text, taken, hanging)):
            if number:
                self.raw(" " * hanging + line)
            else:
                self.raw(" " * indent + self.paint(label, *styles) + line)

    def _wrap(self, text: str, first: int, later: int) -> list[str]:
        """Lines for the columns left after `first` characters, and after `later` from then on."""
        paragraphs = text.splitlines() or [""]
        if self.width is None:
            return paragraphs
        lines: list[str] = []
        for paragraph in paragraphs:
            # Blanks stand for the label, so that the first line is wrapped shorter.
            taken = first - later if not lines else 0
            lines += textwrap.wrap(
                paragraph,
                max(self.width - later, _MIN_WIDTH),
                initial_indent="\0" * max(taken, 0),
                break_on_hyphens=False,
                break_long_words=False,
            ) or [""]
        return [line.lstrip("\0") for line in lines]

    def flush(self) -> None:
        """Hands everything to the reader; raises BrokenPipeError when it is gone."""
        self.stream.flush()


def out() -> Terminal:
    """Where results go."""
    return Terminal(sys.stdout)


def err() -> Terminal:
    """Where status, progress and errors go."""
    return Terminal(sys.stderr)


def _columns() -> int:
    return shutil.get_terminal_size((80, 24)).columns
