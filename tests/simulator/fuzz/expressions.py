"""expressions: random expressions of a thread, and the locals they live in."""

from __future__ import annotations

import random

from tests.simulator.fuzz.language import (
    F64,
    U32,
    U64,
    Bin,
    Const,
    Expr,
    Let,
    Local,
    Special,
    Statement,
    Type,
    const,
    convert,
)

SPECIALS = ("tid", "tx", "ty", "tz", "lane", "bx", "by", "bid", "gtid")


class Expressions:
    """`whole` and `real` gather everything a thread reads, so that nothing is read in vain."""

    def __init__(self, rng: random.Random, hazards: bool) -> None:
        self.rng = rng
        self.hazards = hazards
        self.locals: list[Local] = []
        self.whole = self.fresh(U64)
        self.real = self.fresh(F64)
        self.pure: list[Expr] = []  # the same in every schedule, also where there are races

    def fresh(self, type: Type) -> Local:
        local = Local(f"v{len(self.locals)}", type)
        self.locals.append(local)
        return local

    def fold(self, value: Expr) -> list[Statement]:
        """Statements that make the result depend on `value`."""
        if value.type.real:
            return [Let(self.real, Bin("+", self.real, convert(F64, value)))]
        times = Bin("*", self.whole, Const(U64, 31))
        return [Let(self.whole, Bin("+", times, convert(U64, value)))]

    def leaf(self) -> Expr:
        choices: list[Expr] = [Special(name) for name in SPECIALS]
        choices += [*self.pure, *self.pure, const(self.rng.randrange(40))]
        return self.rng.choice(choices)

    def whole_number(self, depth: int = 2) -> Expr:
        """Unsigned, the same in every schedule."""
        if depth == 0 or self.rng.random() < 0.3:
            return self.leaf()
        op = self.rng.choice("+-*&|^<>mM%")
        a, b = self.whole_number(depth - 1), self.whole_number(depth - 1)
        if op in "<>":
            return Bin(op * 2, a, const(self.rng.randrange(32)))
        if op == "%":
            return Bin("%", a, const(self.rng.randrange(1, 40)))
        return Bin({"m": "min", "M": "max"}.get(op, op), a, b)

    def below(self, limit: int) -> Expr:
        return Bin("%", self.whole_number(), const(limit))

    def condition(self) -> Expr:
        """0 or 1. Without races it may hang on what was read, which is then the same in every
        schedule."""
        a = self.whole_number(1)
        if not self.hazards and self.rng.random() < 0.4:
            a = convert(U32, self.whole)
        modulus = self.rng.randrange(2, 12)
        op = self.rng.choice(("<", "=="))
        return Bin(op, Bin("%", a, const(modulus)), const(self.rng.randrange(1, modulus)))

    def value(self, type: Type) -> Expr:
        """Anything of the type, also of what was read."""
        rng = self.rng
        if type.real:
            if rng.random() < 0.4:
                return convert(type, self.whole_number(1))
            a = convert(type, self.leaf())
            wide = self.real if type == F64 else a
            return Bin(rng.choice(("+", "-", "*", "min", "max")), wide, a)
        a = convert(type, self.whole if rng.random() < 0.5 else self.whole_number())
        if type.bytes < 4:
            return a
        b = convert(type, self.leaf())
        return Bin(rng.choice(("+", "-", "*", "&", "|", "^", "min", "max")), a, b)
