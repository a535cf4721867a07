"""generate: random kernels from a seed.

A kernel is a chain of phases. In each phase every array of a block either belongs to its threads
element by element, or is read by a group of them, or is updated by atomics; between two phases
stands the weakest synchronisation that orders them. So a kernel without a hazard has no race. A
hazard breaks one of these rules at random; whether it does harm is for the interpreter to say.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from tests.simulator.fuzz.expressions import Expressions
from tests.simulator.fuzz.language import (
    F32,
    F64,
    I32,
    STORED,
    U32,
    U64,
    VECTORS,
    Array,
    Barrier,
    Bin,
    Collective,
    Expr,
    If,
    Kernel,
    Load,
    Loop,
    Return,
    Shape,
    Special,
    Statement,
    Store,
    const,
    convert,
)
from tests.simulator.fuzz.statements import Owned, Statements

BLOCK = 0  # the level of a phase: 0, or lanes of a warp
THREADS = (1, 2, 3, 5, 16, 17, 31, 32, 32, 33, 40, 48, 64, 64, 65, 80)
TID, BID, LANE, FULL = (Special(n) for n in ("tid", "bid", "lane", "full"))


def split(rng: random.Random, count: int) -> tuple[int, int, int]:
    """`count` as a product of three, often uneven."""
    x = rng.choice([d for d in range(1, count + 1) if count % d == 0])
    rest = count // x
    y = rng.choice([d for d in range(1, rest + 1) if rest % d == 0])
    sizes = [x, y, rest // y]
    if rng.random() < 0.5 or sizes[2] > 64:  # the limit along z
        sizes.sort(reverse=True)
    return (sizes[0], sizes[1], sizes[2])


@dataclass
class Phase:
    """Between two synchronisations; `level`: how far apart the threads that share elements are."""

    level: int
    body: list[Statement]


class Generator:
    """Writes one kernel."""

    def __init__(self, seed: int, hazards: bool) -> None:
        self.rng = random.Random(seed)
        self.hazards = hazards
        self.hazard_rate = self.rng.choice((0.03, 0.08, 0.2)) if hazards else 0.0
        rng = self.rng
        threads = rng.choice(THREADS)
        blocks = rng.choice((1, 1, 2, 3, 4)) if threads <= 64 else rng.choice((1, 2))
        self.shape = Shape(split(rng, blocks), split(rng, threads))
        self.arrays: list[Array] = []
        self.blocky: list[Array] = []  # one copy a block: shared, or a block's part of global
        self.expressions = Expressions(rng, hazards)
        self.make_arrays()
        self.statements = Statements(
            rng, self.expressions, self.inputs, self.atomics, self.hazard, self.shape
        )

    def hazard(self) -> bool:
        return self.rng.random() < self.hazard_rate

    # ---- arrays ----

    def add(self, name: str, space: str, type_index: object, size: int, seed: int | None) -> Array:
        assert type_index in STORED
        array = Array(name, space, type_index, size, seed)  # type: ignore[arg-type]
        self.arrays.append(array)
        return array

    def make_arrays(self) -> None:
        rng, threads = self.rng, self.shape.threads
        self.inputs = [
            self.add(f"in{i}", "global", rng.choice(STORED), rng.randrange(4, 40) * 4,
                     rng.randrange(1000))
            for i in range(rng.randrange(1, 3))
        ]  # fmt: skip
        slots = -(-threads // 32) * 32
        for i in range(rng.randrange(1, 4)):
            space = rng.choice(("shared", "shared", "global"))
            size = slots * rng.choice((1, 1, 2, 4)) + rng.choice((0, 0, 0, 4, 12))
            if i == 0 and rng.random() < 0.3:
                space = "dynamic"
            if space == "global":
                seed = None if self.hazard() else rng.randrange(1000)
                size *= self.shape.blocks
                self.blocky.append(self.add(f"g{i}", space, rng.choice(STORED), size, seed))
            else:
                self.blocky.append(self.add(f"s{i}", space, rng.choice(STORED), size, None))
        self.atomics = [
            self.add(f"a{i}", "global", rng.choice((I32, U32, U64, F32)), rng.randrange(1, 9),
                     rng.randrange(1000))
            for i in range(rng.randrange(0, 3))
        ]  # fmt: skip
        total = threads * self.shape.blocks
        self.out = self.add("out", "global", U64, total, 1)
        self.out_real = self.add("outf", "global", F64, total, 2)

    def part(self, array: Array) -> int:
        """Elements of one block's copy."""
        return array.size if array.shared else array.size // self.shape.blocks

    def at(self, array: Array, index: Expr) -> Expr:
        if array.shared:
            return index
        return Bin("+", Bin("*", BID, const(self.part(array))), index)

    # ---- phases ----

    def fill(self, array: Array) -> Statement:
        """Every element of a block's copy written by a loop whose bounds differ by thread."""
        i = self.expressions.fresh(U32)
        value = Bin("+", Bin("*", i, const(self.rng.randrange(1, 9))), TID)
        store = Store(array, self.at(array, i), convert(array.type, value))
        stop = const(self.part(array))
        if self.hazard():
            stop = const(self.part(array) + self.rng.choice((-4, -1, 1)))
        return Loop(i, TID, stop, const(self.shape.threads), [store])

    def ownership(self, array: Array, level: int) -> Owned:
        """Which elements of the array are the thread's own, if the phase shares by `level`."""
        rng, part = self.rng, self.part(array)
        width = rng.choice([w for w in (1, 1, 2, 4) if w == 1 or (array.type, w) in VECTORS])
        slots = -(-self.shape.threads // 32) * 32
        if not array.shared and (self.part(array) * array.type.bytes) % 16 != 0:
            width = 1
        if slots * width > part:
            width = 1
        if level == BLOCK:
            count = part // width
            factor = rng.choice([f for f in range(1, 12) if math.gcd(f, count) == 1])
            shift = rng.randrange(count)
            slot: Expr = Bin("%", Bin("+", Bin("*", TID, const(factor)), const(shift)),
                             const(count))  # fmt: skip
        else:
            slot = Bin("^", TID, const(rng.randrange(level)))
        index = slot if width == 1 else Bin("*", slot, const(width))
        if self.hazard():
            moved: list[Expr] = [
                Bin("+", index, const(1)), Bin(">>", index, const(1)), const(0),
                Bin("*", index, const(2)), Bin("^", index, const(32)),
            ]  # fmt: skip
            index = rng.choice(moved)
        return Owned(array, self.at(array, index), width, writes=True)

    def reading(self, array: Array, level: int) -> Owned:
        """Elements that the thread may read while its whole group reads."""
        if level == BLOCK:
            index: Expr = self.expressions.below(self.part(array))
        else:
            offset = self.expressions.below(level)
            index = Bin("+", Bin("-", TID, Bin("%", TID, const(level))), offset)
        return Owned(array, self.at(array, index), 1, writes=False)

    def phase(self) -> Phase:
        level = self.rng.choice((BLOCK, BLOCK, 32, 16, 8))
        owned = []
        for array in self.blocky:
            make = self.ownership if self.rng.random() < 0.55 else self.reading
            owned.append(make(array, level))
        body = self.statements.some(owned, self.rng.randrange(1, 5), depth=0, mask=FULL)
        return Phase(level, body)

    def between(self, before: int, after: int) -> list[Statement]:
        """The weakest synchronisation that orders two phases; a hazard weakens it further."""
        rng = self.rng
        level = BLOCK if BLOCK in (before, after) else max(before, after)
        if self.hazard():
            level = rng.choice((8, 16, 32, -1))
        if level == -1:
            return []
        if level == BLOCK:
            if rng.random() < 0.3:
                target = self.expressions.fresh(U32)
                op = rng.choice(("count", "and", "or"))
                barrier = Barrier(op, self.expressions.condition(), target)
                return [barrier, *self.expressions.fold(target)]
            return [Barrier()]
        mask: Expr = FULL
        if level < 32:
            low = Bin("-", LANE, Bin("%", LANE, const(level)))
            group = Bin("<<", const((1 << level) - 1), low)
            mask = Bin("&", group, FULL)
        if self.hazard():
            mask = rng.choice(
                (const(0xFFFFFFFF), const(0xFFFF), Bin("&", mask, const(~2 & 0xFFFF_FFFF)))
            )
        return [Collective("syncwarp", mask)]

    def chain(self, phases: int) -> list[Statement]:
        made = [self.phase() for _ in range(phases)]
        body: list[Statement] = []
        for i, phase in enumerate(made):
            if i > 0:
                body += self.between(made[i - 1].level, phase.level)
            body += phase.body
        if self.rng.random() < 0.25:  # repeated: the last phase meets the first one again
            i = self.expressions.fresh(U32)
            body += self.between(made[-1].level, made[0].level)
            body = [Loop(i, const(0), const(self.rng.randrange(1, 4)), const(1), body)]
        elif self.rng.random() < 0.15:  # whole blocks may take it or leave it
            body = [If(Bin("<", Bin("%", BID, const(2)), const(1)), body)]
        return body

    def kernel(self, name: str) -> Kernel:
        rng, ex = self.rng, self.expressions
        body: list[Statement] = []
        for array in self.inputs:  # what conditions and indices are made of
            if not array.type.real:
                pure = ex.fresh(U32)
                body.append(Load(pure, array, ex.below(array.size)))
                ex.pure.append(pure)
        body += [self.fill(a) for a in self.blocky if not self.hazard()]
        body += self.between(BLOCK, BLOCK)
        for i in range(rng.randrange(1, 3)):
            if i > 0:
                body += self.between(BLOCK, BLOCK)
            body += self.chain(rng.randrange(1, 4))
        if self.hazard():
            body.insert(rng.randrange(len(body)), If(ex.condition(), [Return()]))
        if self.hazard() and rng.random() < 0.5:
            body.insert(rng.randrange(len(body)), If(ex.condition(), [Barrier()]))
        if rng.random() < 0.3:
            body += self.statements.last_block(self)
        if not self.hazards and rng.random() < 0.2:
            gtid = Special("gtid")
            body.append(If(ex.condition(), [Store(self.out, gtid, ex.whole), Return()]))
        body.append(Store(self.out, Special("gtid"), ex.whole))
        body.append(Store(self.out_real, Special("gtid"), ex.real))
        apart = self.hazards or rng.random() < 0.5
        return Kernel(name, self.shape, self.arrays, ex.locals, body, apart)


def generate(seed: int, hazards: bool) -> Kernel:
    """The kernel of this seed; with hazards it may break rules."""
    return Generator(seed, hazards).kernel(f"{'faulty' if hazards else 'correct'}_{seed}")
