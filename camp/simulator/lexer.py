"""simulator.lexer: splits CUDA C++ into tokens, so that the translator never edits inside comments
or strings and never depends on the rest of the file being free of mistakes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<splice>\\\r?\n)
    | (?P<newline>\n)
    | (?P<space>[^\S\n]+)
    | (?P<comment>//(?:\\\r?\n|[^\n])* | /\*.*?(?:\*/|\Z))
    | (?P<string>(?:u8|[uUL])?R"(?P<fence>[^\s()\\]{0,16})\(.*?\)(?P=fence)"
               | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"?)
    | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    | (?P<character>(?:u8|[uUL])?'(?:\\.|[^'\\\n])*'?)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<mark>::|->|\#\#|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_SKIPPED = frozenset(("splice", "space", "comment"))

CLOSING = {"(": ")", "[": "]", "{": "}"}
OPENING = {closing: opening for opening, closing in CLOSING.items()}


@dataclass(frozen=True)
class Token:
    """`kind` is word, number, string, character or mark; offsets count characters."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Directive:
    """A preprocessor line, without its `#`: `name` is include, if, define...; `body` the rest."""

    name: str
    body: tuple[Token, ...]
    start: int
    end: int


class Source:
    """The text of one file, with offsets turned into places."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, offset: int) -> tuple[int, int]:
        """1-based line and column of an offset."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1


def tokenize(text: str) -> list[Token | Directive]:
    """Code tokens and preprocessor lines in order, without comments and blanks."""
    items: list[Token | Directive] = []
    line: list[Token] | None = None  # tokens of the directive being read
    hash_start = 0
    fresh = True  # nothing but blanks on this line so far
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "mark"
        if kind == "fence":
            kind = "string"
        if kind in _SKIPPED:
            continue
        if kind == "newline":
            if line is not None:
                items.append(_directive(line, hash_start, match.start()))
                line = None
            fresh = True
            continue
        token = Token(kind, match.group(), match.start())
        if line is not None:
            line.append(token)
        elif fresh and token.text == "#":
            line, hash_start = [], token.start
        else:
            items.append(token)
        fresh = False
    if line is not None:
        items.append(_directive(line, hash_start, len(text)))
    return items


def _directive(tokens: list[Token], start: int, end: int) -> Directive:
    name = tokens[0].text if tokens else ""
    return Directive(name, tuple(tokens[1:]), start, end)


def match_forward(tokens: Sequence[Token], index: int) -> int | None:
    """Index of the bracket that closes tokens[index], or None."""
    expected: list[str] = []
    for i in range(index, len(tokens)):
        text = tokens[i].text if tokens[i].kind == "mark" else ""
        if text in CLOSING:
            expected.append(CLOSING[text])
        elif text in OPENING:
            if expected.pop() != text:
                return None
            if not expected:
                return i
    return None


def match_backward(tokens: Sequence[Token], index: int) -> int | None:
    """Index of the bracket that opens tokens[index], or None."""
    expected: list[str] = []
    for i in range(index, -1, -1):
        text = tokens[i].text if tokens[i].kind == "mark" else ""
        if text in OPENING:
            expected.append(OPENING[text])
        elif text in CLOSING:
            if expected.pop() != text:
                return None
            if not expected:
                return i
    return None


def match_angle_backward(tokens: Sequence[Token], index: int) -> int | None:
    """Index of the `<` that opens the template arguments closed by tokens[index], or None."""
    depth = 0
    i = index
    while i >= 0:
        text = tokens[i].text if tokens[i].kind == "mark" else ""
        if text == ">":
            depth += 1
        elif text == "<":
            depth -= 1
            if depth == 0:
                return i
        elif text in OPENING:
            opening = match_backward(tokens, i)
            if opening is None:
                return None
            i = opening
        elif text in (";", "{", "("):
            return None
        i -= 1
    return None


def match_angle_forward(tokens: Sequence[Token], index: int) -> int | None:
    """Index of the `>` that closes the template arguments opened by tokens[index], or None."""
    depth = 0
    i = index
    while i < len(tokens):
        text = tokens[i].text if tokens[i].kind == "mark" else ""
        if text == "<":
            depth += 1
        elif text == ">":
            depth -= 1
            if depth == 0:
                return i
        elif text in CLOSING:
            closing = match_forward(tokens, i)
            if closing is None:
                return None
            i = closing
        elif text in (";", "}", ")"):
            return None
        i += 1
    return None


def spell(tokens: Sequence[Token]) -> str:
    """The tokens as text on one line, with one blank wherever the source had a gap."""
    parts: list[str] = []
    for i, token in enumerate(tokens):
        if i and tokens[i - 1].end != token.start:
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)
