"""statements: random statements of one phase: accesses, arithmetic, branches, warp operations."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.simulator.fuzz.expressions import Expressions
from tests.simulator.fuzz.language import (
    COMPUTED,
    F32,
    F64,
    I32,
    I64,
    U32,
    U64,
    Array,
    Atomic,
    Barrier,
    Bin,
    Collective,
    Const,
    Expr,
    Fence,
    If,
    Let,
    Load,
    Loop,
    Shape,
    Special,
    Statement,
    Store,
    Type,
    const,
    convert,
    first_value,
)

if TYPE_CHECKING:
    from tests.simulator.fuzz.generate import Generator

FULL = const(0xFFFFFFFF)
# Operations that give the same in any order, by the type that CUDA has them for.
UNORDERED = {
    I32: ("add", "min", "max", "and", "or", "xor"),
    U32: ("add", "min", "max", "and", "or", "xor"),
    U64: ("add", "min", "max", "and", "or", "xor"),
    I64: ("min", "max"),
    F32: ("add",),
    F64: ("add",),
}
ORDERED = {I32: ("exch", "cas"), U32: ("exch", "cas"), U64: ("exch", "cas"), F32: ("exch",)}


@dataclass(frozen=True)
class Owned:
    """What a thread may touch of an array in a phase, at `index`, `width` elements."""

    array: Array
    index: Expr
    width: int
    writes: bool


def wide(type: Type) -> Type:
    """The type that an element is computed in."""
    if type.bytes >= 4:
        return type
    return I32 if type.kind == "i" else U32


class Statements:
    def __init__(
        self,
        rng: random.Random,
        expressions: Expressions,
        inputs: Sequence[Array],
        atomics: Sequence[Array],
        hazard: Callable[[], bool],
        shape: Shape,
    ) -> None:
        self.rng = rng
        self.ex = expressions
        self.inputs = inputs
        self.atomics = {a: rng.choice(UNORDERED[a.type]) for a in atomics}
        self.hazard = hazard
        self.shape = shape

    def some(
        self, owned: Sequence[Owned], count: int, depth: int, mask: Expr | None
    ) -> list[Statement]:
        """Statements that keep to the phase; `mask` names the lanes that run them together."""
        made: list[Statement] = []
        for _ in range(count):
            made += self.one(owned, depth, mask)
        return made

    def one(self, owned: Sequence[Owned], depth: int, mask: Expr | None) -> list[Statement]:
        pick = self.rng.random()
        if pick < 0.40:
            return self.access(self.rng.choice(owned))
        if pick < 0.48:
            return self.read_input()
        if pick < 0.56 and self.atomics:
            return self.update()
        if pick < 0.80 and mask is not None:
            return self.collective(mask)
        if depth < 3 and pick < 0.93:
            return self.branch(owned, depth, mask)
        if depth < 2:
            return self.loop(owned, depth)
        return self.access(self.rng.choice(owned))

    # ---- memory ----

    def access(self, o: Owned) -> list[Statement]:
        rng, ex, array = self.rng, self.ex, o.array
        writes = o.writes or self.hazard()
        if writes and rng.random() < 0.5:
            value = ex.value(wide(array.type))
            if self.hazard():
                value = convert(wide(array.type), const(7))
            return [Store(array, o.index, value, o.width)]
        if writes and rng.random() < 0.25 and o.width == 1 and array.type in ORDERED:
            return self.own_atomic(o)
        target = ex.fresh(wide(array.type))
        return [Load(target, array, o.index, o.width), *ex.fold(target)]

    def own_atomic(self, o: Owned) -> list[Statement]:
        """On an element of one's own the value before is known in every schedule."""
        rng, ex, type = self.rng, self.ex, o.array.type
        op = rng.choice((*UNORDERED[type], *ORDERED[type]))
        target = ex.fresh(type)
        compare = ex.value(type) if op == "cas" else None
        value = convert(type, ex.leaf())
        return [Atomic(op, o.array, o.index, value, target, compare), *ex.fold(target)]

    def read_input(self) -> list[Statement]:
        array = self.rng.choice(list(self.inputs))
        target = self.ex.fresh(wide(array.type))
        return [Load(target, array, self.ex.below(array.size)), *self.ex.fold(target)]

    def update(self) -> list[Statement]:
        array = self.rng.choice(list(self.atomics))
        index = self.ex.below(array.size)
        value = convert(array.type, self.ex.whole_number(1))
        if self.hazard():
            return [Store(array, index, value)]
        return [Atomic(self.atomics[array], array, index, value)]

    # ---- control ----

    def branch(self, owned: Sequence[Owned], depth: int, mask: Expr | None) -> list[Statement]:
        rng, ex = self.rng, self.ex
        condition = ex.fresh(U32)
        made: list[Statement] = [Let(condition, ex.condition())]
        then_mask = else_mask = None
        if mask is not None and rng.random() < 0.6:
            then_mask = ex.fresh(U32)
            made.append(Collective("ballot", mask, condition, then_mask))
            else_mask = Bin("&", mask, Bin("^", then_mask, FULL))
            if self.hazard():
                then_mask = else_mask = None if rng.random() < 0.5 else mask
        then = self.some(owned, rng.randrange(1, 4), depth + 1, then_mask)
        otherwise: list[Statement] = []
        if rng.random() < 0.5:
            otherwise = self.some(owned, rng.randrange(1, 3), depth + 1, else_mask)
        return [*made, If(condition, then, otherwise)]

    def loop(self, owned: Sequence[Owned], depth: int) -> list[Statement]:
        i = self.ex.fresh(U32)
        body = self.some(owned, self.rng.randrange(1, 3), depth + 1, None)
        return [Loop(i, const(0), self.ex.below(4), const(1), body)]

    # ---- warp ----

    def collective(self, mask: Expr) -> list[Statement]:
        rng, ex = self.rng, self.ex
        if self.hazard():
            mask = rng.choice((FULL, Bin("&", mask, const(0xFFFFFFFD)), Bin("|", mask, const(4))))
        kind = rng.choice(("shfl", "shfl", "vote", "match", "reduce", "syncwarp"))
        if kind == "syncwarp":
            return [Collective("syncwarp", mask)]
        if kind == "shfl":
            return self.shuffle(mask)
        if kind == "vote":
            target = ex.fresh(U32)
            op = rng.choice(("ballot", "any", "all"))
            return [Collective(op, mask, ex.condition(), target), *ex.fold(target)]
        if kind == "match":
            target = ex.fresh(U32)
            value: Expr = convert(rng.choice((I32, U32, I64, U64)), ex.below(3))
            op = rng.choice(("match_any", "match_all"))
            return [Collective(op, mask, value, target), *ex.fold(target)]
        ops = ["add", "min", "max", "and", "or", "xor"]
        op = rng.choice(ops)
        type = U32 if op in ("and", "or", "xor") else rng.choice((U32, I32))
        target = ex.fresh(type)
        return [Collective(f"reduce_{op}", mask, ex.value(type), target), *ex.fold(target)]

    def shuffle(self, mask: Expr) -> list[Statement]:
        """From a lane that takes part: any lane of a full warp, else the first lane of the mask."""
        rng, ex = self.rng, self.ex
        type = rng.choice(COMPUTED)
        target, value = ex.fresh(type), ex.value(type)
        whole_warps = mask == Special("full") and self.shape.threads % 32 == 0
        if whole_warps or self.hazard():
            op = rng.choice(("shfl", "shfl_up", "shfl_down", "shfl_xor"))
            width = rng.choice((2, 4, 8, 16, 32, 32))
            argument = convert(I32, ex.below(32 if op in ("shfl", "shfl_xor") else width))
            return [Collective(op, mask, value, target, argument, width), *ex.fold(target)]
        # __shfl_xor by 0 and from the lane itself are always there.
        own = convert(I32, Special("lane"))
        op, argument = rng.choice((("shfl", own), ("shfl_up", Const(I32, 0))))
        return [Collective(op, mask, value, target, argument), *ex.fold(target)]

    # ---- between blocks ----

    def last_block(self, generator: Generator) -> list[Statement]:
        """Every block leaves a part; the one that counts last adds them up."""
        rng, ex, blocks = self.rng, self.ex, self.shape.blocks
        width = min(self.shape.threads, rng.choice((1, 8, 32, 96)))
        parts = generator.add("parts", "global", U32, blocks * width, 3)
        ticket = Array("ticket", "global", U32, 1, 4)
        generator.arrays.append(ticket)
        total = generator.add("total", "global", U32, 1, 5)
        tid = Special("tid")
        mine = Bin("+", Bin("*", Special("bid"), const(width)), tid)
        leave: list[Statement] = [
            If(Bin("<", tid, const(width)), [Store(parts, mine, ex.whole_number())])
        ]
        fence: list[Statement] = [] if self.hazard() else [Fence()]
        # By everybody who wrote before the barrier, or by the one who counts after it.
        by_all = rng.random() < 0.5
        leave += fence if by_all else []
        if width > 1 and not self.hazard():
            leave.append(Collective("syncwarp", Special("full")) if width <= 32 else Barrier())
        old, i, part, sum_ = (ex.fresh(U32) for _ in range(4))
        first = int(first_value(4, 0, U32))
        add: list[Statement] = [
            Load(part, parts, i),
            Let(sum_, Bin("+", sum_, part)),
        ]
        finish: list[Statement] = [
            Loop(i, const(0), const(blocks * width), const(1), add),
            Store(total, const(0), sum_),
        ]
        count: list[Statement] = [
            *([] if by_all else fence),
            Atomic("add", ticket, const(0), const(1), old),
            If(Bin("==", old, const(first + blocks - 1)), finish),
        ]
        return [*leave, If(Bin("==", tid, const(0)), count)]
