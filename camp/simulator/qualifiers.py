"""simulator.qualifiers: the one qualifier that no macro can stand for."""

from __future__ import annotations

from collections.abc import Sequence

from camp.simulator.edits import Edit
from camp.simulator.lexer import Token


def rewrite_noinline(tokens: Sequence[Token], at: int) -> list[Edit]:
    """Makes __noinline__ at tokens[at] an attribute of the host compiler.

    libstdc++ has the same word as the name of an attribute; there, as in
    __attribute__((__noinline__)) and [[gnu::__noinline__]], it stays.
    """
    if at and tokens[at - 1].text in ("(", ",", "::"):
        return []
    return [Edit(tokens[at].start, tokens[at].end, "__attribute__((noinline))")]
