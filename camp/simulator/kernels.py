"""simulator.kernels: makes every kernel tell its name as it is entered, and finds the code that
only a GPU's threads run."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from camp.simulator.edits import Edit
from camp.simulator.lexer import (
    CLOSING,
    Directive,
    Token,
    match_angle_forward,
    match_forward,
    spell,
)

_BEGIN = " CAMP_SIM_KERNEL_BEGIN"  # a macro of camp_sim/launch.h
_BOUNDS = " CAMP_SIM_LAUNCH_BOUNDS"  # a macro of camp_sim/kernel_facts.h


def stands_for_global(directive: Directive) -> bool:
    """Whether a #define makes its name a beginning of kernels: `#define KERNEL __global__ void`."""
    words = {token.text for token in directive.body[1:]}
    return "__global__" in words and "{" not in words


def rewrite_kernel(tokens: Sequence[Token], index: int) -> list[Edit]:
    """The edit for the kernel whose `__global__` is at `index`; none where it has no body."""
    brace = _body(tokens, index + 1)
    if brace is None:
        return []
    return [Edit.insert(tokens[brace].end, _BEGIN + _launch_bounds(tokens, index, brace))]


def _launch_bounds(tokens: Sequence[Token], index: int, brace: int) -> str:
    """What `__launch_bounds__(...)`, before or after `__global__`, adds to the body."""
    first = index
    while first and tokens[first - 1].text not in (";", "{", "}"):
        first -= 1
    for i in range(first, brace):
        if tokens[i].text == "__launch_bounds__":
            closing = match_forward(tokens, i + 1)
            return "" if closing is None else _BOUNDS + spell(tokens[i + 1 : closing + 1])
    return ""


def device_code(tokens: Sequence[Token], marks: Collection[str]) -> list[range]:
    """Tokens inside the bodies of functions with one of these marks, and not __host__."""
    found: list[range] = []
    for index, token in enumerate(tokens):
        if token.text not in marks:
            continue
        near = {t.text for t in tokens[max(index - 2, 0) : index + 3]}
        brace = None if "__host__" in near else _body(tokens, index + 1)
        closing = None if brace is None else match_forward(tokens, brace)
        if brace is not None and closing is not None:
            found.append(range(brace, closing))
    return found


def _body(tokens: Sequence[Token], i: int) -> int | None:
    """Index of the `{` that follows a parameter list, from a place before the function's name."""
    parameters = False
    while i < len(tokens):
        text = tokens[i].text if tokens[i].kind == "mark" else ""
        if text == "{":
            return i if parameters else None
        if text in (";", "=", "}", ")", "]"):
            return None
        if text in CLOSING:
            parameters = parameters or text == "("
            closing = match_forward(tokens, i)
            if closing is None:
                return None
            i = closing
        elif text == "<" and i and tokens[i - 1].kind == "word":
            i = match_angle_forward(tokens, i) or i
        i += 1
    return None
