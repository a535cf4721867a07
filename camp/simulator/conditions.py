"""simulator.conditions: decides which preprocessor branches the simulator's build compiles.

Known are a few macros of the build and those that the file itself defined before; a condition on
any other stays undecided and its branches count as compiled.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence

from camp.simulator.lexer import Directive, Token, spell
from camp.simulator.refusals import refused_header

DEFINED = {"CAMP_SIM": 1}
UNDEFINED = frozenset(("__CUDACC__", "__CUDA_ARCH__", "__NVCC__", "__CUDACC_RTC__"))

_HAS_INCLUDE = re.compile(r'__has_include\s*\(\s*[<"]([^>"]+)[>"]\s*\)')
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


class Macros:
    """What is known of macros at one place of a file."""

    def __init__(self) -> None:
        self._bodies: dict[str, tuple[Token, ...] | None] = {}  # None: undefined
        self._unsure: set[str] = set()  # defined or not, depending on something unknown

    def note(self, directive: Directive, *, surely: bool) -> None:
        """A #define or #undef; `surely` when the compiler certainly sees it."""
        if not directive.body:
            return
        name = directive.body[0]
        if not surely:
            self._unsure.add(name.text)
            return
        self._unsure.discard(name.text)
        body = directive.body[1:]
        self._bodies[name.text] = body if directive.name == "define" else None

    def defined(self, name: str) -> bool | None:
        """Whether a macro is defined; None when unknown."""
        if name in self._unsure:
            return None
        if name in self._bodies:
            return self._bodies[name] is not None
        if name in DEFINED:
            return True
        return False if name in UNDEFINED else None

    def value(self, name: str) -> int | None:
        """The number that a name stands for in a condition; None when unknown."""
        if name in self._unsure:
            return None
        if name in self._bodies:
            body = self._bodies[name]
            if body is None:
                return 0
            return _number(body[0].text) if len(body) == 1 and body[0].kind == "number" else None
        return DEFINED.get(name, 0 if name in UNDEFINED else None)


def _number(text: str) -> int:
    return int(text.replace("'", "").rstrip("uUlL"), 0)


def decide(directive: Directive, macros: Macros) -> bool | None:
    """The truth of an #if, #ifdef, #ifndef or #elif; None when it depends on anything unknown."""
    if directive.name in ("ifdef", "ifndef"):
        known = macros.defined(directive.body[0].text) if directive.body else None
        return not known if directive.name == "ifndef" and known is not None else known
    return evaluate(spell(directive.body), macros)


def evaluate(condition: str, macros: Macros | None = None) -> bool | None:
    """The truth of an #if condition; None when it depends on anything unknown."""
    condition = _HAS_INCLUDE.sub(
        lambda match: "0" if refused_header(match[1]) else match[0], condition
    )
    parser = _Condition(_PART.findall(condition), macros or Macros())
    try:
        value = parser.binary(0)
    except (IndexError, ValueError):
        return None
    if value is None or parser.position != len(parser.parts):
        return None
    return bool(value)


class _Condition:
    def __init__(self, parts: Sequence[str], macros: Macros) -> None:
        self.parts = parts
        self.macros = macros
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
            known = self.macros.defined(self.take())
            if bracketed and self.take() != ")":
                raise ValueError
            return None if known is None else int(known)
        if part[0].isdigit():
            return _number(part)
        return self.macros.value(part)


class Conditionals:
    """The nest of #if ... #endif around the current line."""

    def __init__(self) -> None:
        self._frames: list[tuple[bool | None, bool | None]] = []  # (some branch taken, this one)

    @property
    def decided(self) -> bool:
        """Whether the compiler surely sees the current line."""
        return all(current for _, current in self._frames)

    @property
    def skipped(self) -> bool:
        """Whether the compiler surely never sees the current line."""
        return any(current is False for _, current in self._frames)

    def enter(self, condition: bool | None) -> None:
        self._frames.append((condition, condition))

    def assume(self) -> None:
        """The innermost branch is taken: it is an include guard's, or a default's."""
        self._frames[-1] = (True, True)

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
