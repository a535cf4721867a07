"""simulator.edits: replacements in a text that never move its lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class Refusal(Exception):
    """Code the translator cannot accept; `offset` is where it starts."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


@dataclass(frozen=True)
class Edit:
    """Replaces text[start:end]; an insertion when the two are equal."""

    start: int
    end: int
    text: str

    @classmethod
    def insert(cls, offset: int, text: str) -> Edit:
        return cls(offset, offset, text)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made. Replaced line ends are kept, so later lines stay in place."""
    parts: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < position:
            raise ValueError("edits overlap")
        parts.append(text[position : edit.start])
        parts.append(edit.text)
        lost = text.count("\n", edit.start, edit.end) - edit.text.count("\n")
        parts.append("\n" * max(lost, 0))
        position = edit.end
    parts.append(text[position:])
    return "".join(parts)
