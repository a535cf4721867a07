"""simulator.conditions: decides which preprocessor branches the simulator's build compiles.

Only a few macros are known here; a condition on any other stays undecided and its branches count
as compiled.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

DEFINED = {"CAMP_SIM": 1}
UNDEFINED = frozenset(("__CUDACC__", "__CUDA_ARCH__", "__NVCC__", "__CUDACC_RTC__"))

_PART = re.compile(r"\d[\w']*|\w+|&&|\|\||[<>=!]=|<<|>>|\S")
_BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda a, b: int(bool(a) or bool(b))),
    "&&": (2, lambda a, b: int(bool(a) and bool(b))),
    "==": (3, lambda a, b: int(a == b)),
    "!=": (3, lambda a, b: int(a != b)),
    "<": (4, lambda a, b: int(a < b)),
    ">": (4, lambda a, b: int(a > b)),
    "<=": (4, lambda a, b: int(a <= b)),
    ">=": (4, lambda a, b: int(a >= b)),
    "+": (5, operator.add),
    "-": (5, operator.sub),
    "*": (6, operator.mul),
}


def macro_defined(name: str) -> bool | None:
    """Whether the simulator's build defines a macro; None when unknown."""
    if name in DEFINED:
        return True
    return False if name in UNDEFINED else None


def evaluate(condition: str) -> bool | None:
    """The truth of an #if condition; None when it depends on anything unknown."""
    parser = _Condition(_PART.findall(condition))
    try:
        value = parser.binary(0)
    except (IndexError, ValueError):
        return None
    if value is None or parser.position != len(parser.parts):
        return None
    return bool(value)


class _Condition:
    def __init__(self, parts: list[str]) -> None:
        self.parts = parts
        self.position = 0

    def peek(self) -> str:
        return self.parts[self.position] if self.position < len(self.parts) else ""

    def take(self) -> str:
        self.position += 1
        return self.parts[self.position - 1]

    def binary(self, floor: int) -> int | None:
        left = self.unary()
        while self.peek() in _BINARY and _BINARY[self.peek()][0] > floor:
            symbol = self.take()
            priority, apply = _BINARY[symbol]
            right = self.binary(priority)
            if symbol == "&&" and (left == 0 or right == 0):
                left = 0
            elif symbol == "||" and (left or right):
                left = 1
            elif left is None or right is None:
                left = None
            else:
                left = apply(left, right)
        return left

    def unary(self) -> int | None:
        part = self.take()
        if part == "!":
            value = self.unary()
            return None if value is None else int(not value)
        if part == "(":
            value = self.binary(0)
            if self.take() != ")":
                raise ValueError
            return value
        if part == "defined":
            bracketed = self.peek() == "("
            if bracketed:
                self.take()
            known = macro_defined(self.take())
            if bracketed and self.take() != ")":
                raise ValueError
            return None if known is None else int(known)
        if part[0].isdigit():
            return int(part.replace("'", "").rstrip("uUlL"), 0)
        if part in DEFINED:
            return DEFINED[part]
        return 0 if part in UNDEFINED else None


class Conditionals:
    """The nest of #if ... #endif around the current line."""

    def __init__(self) -> None:
        self._frames: list[tuple[bool | None, bool | None]] = []  # (some branch taken, this one)

    @property
    def skipped(self) -> bool:
        """Whether the compiler surely never sees the current line."""
        return any(current is False for _, current in self._frames)

    def enter(self, condition: bool | None) -> None:
        self._frames.append((condition, condition))

    def otherwise(self, condition: bool | None) -> None:
        """#elif with its condition, or #else with True."""
        if not self._frames:
            return
        taken, _ = self._frames[-1]
        if taken:
            current: bool | None = False
        elif taken is None:
            current = False if condition is False else None
        else:
            current = condition
        if condition:
            taken = True
        elif taken is False:
            taken = condition
        self._frames[-1] = (taken, current)

    def leave(self) -> None:
        if self._frames:
            self._frames.pop()
