"""marks: which part of a source line a report means."""

from __future__ import annotations

import re
import unicodedata

_ASSIGNMENT = re.compile(r"(?<![=!<>])(?P<compound>[-+*/%&|^]|<<|>>)?=(?!=)")


def display_width(text: str) -> int:
    """Columns that a terminal takes for `text`: two for wide characters, none for combining."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def statement_span(text: str) -> tuple[int, int]:
    """[begin, end) of the code of a line: without its indentation and its comment."""
    code = text.split("//")[0].rstrip() or text.rstrip()
    return len(code) - len(code.lstrip()), len(code)


def access_span(text: str, name: str, access: str) -> tuple[int, int] | None:
    """[begin, end) of the one `name[...]` of a line that can be the `access` ("read", "write",
    "atomic" or "" for any); None where there is none, or more than one."""
    if not name.isidentifier():
        return None
    code = text.split("//")[0]
    spans = [
        (match.start(), _closing(code, match.end()))
        for match in re.finditer(rf"\b{re.escape(name)}\s*\[", code)
    ]
    assignment = _ASSIGNMENT.search(code)
    if assignment is not None and access in ("read", "write"):
        left = [span for span in spans if span[1] <= assignment.start()]
        right = [span for span in spans if span[0] >= assignment.end()]
        both = assignment["compound"] is not None
        spans = left if access == "write" else right + left if both else right
    return spans[0] if len(spans) == 1 else None


def _closing(code: str, begin: int) -> int:
    """The end of the bracket that was opened before `begin`, or of the line."""
    depth = 1
    for at in range(begin, len(code)):
        depth += {"[": 1, "]": -1}.get(code[at], 0)
        if depth == 0:
            return at + 1
    return len(code.rstrip())
