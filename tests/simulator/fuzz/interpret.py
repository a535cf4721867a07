"""interpret: a plain machine for the kernels of language.py: thread by thread, block by block.

Written from the CUDA programming guide and the rules in docs/simulator.md; knows nothing of the
engine. A thread is a generator that runs to its next barrier or warp operation.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.simulator.fuzz.evaluate import after_atomic, combine, shuffle_source, value_of
from tests.simulator.fuzz.language import (
    Array,
    Atomic,
    Barrier,
    Collective,
    Expr,
    Fence,
    If,
    Kernel,
    Let,
    Load,
    Loop,
    Number,
    Return,
    Statement,
    Store,
)
from tests.simulator.fuzz.memory import Clocks, Findings, Memory, decode, encode

POISON = 0x7FFF7FFF


class Left(Exception):
    """The thread has left the kernel."""


class Killed(Exception):
    """The thread did what it must not, and ends there."""


@dataclass(eq=False)
class Thread:
    number: int  # in the grid
    index: int  # in the block
    names: dict[str, Number]
    memory: dict[str, Memory]
    run: Generator[Statement, Number, None] | None = None
    state: str = "ready"  # ready, waiting, left, killed
    waits_at: Barrier | Collective | None = None
    mask: int = 0
    answer: Number = 0
    fenced: np.ndarray | None = None
    values: dict[str, Number] = field(default_factory=dict)  # of an operation's operands

    @property
    def alive(self) -> bool:
        return self.state in ("ready", "waiting")


class Machine:
    """Runs one kernel once."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        shape = kernel.shape
        self.clocks = Clocks(shape.blocks * shape.threads)
        self.findings = Findings()
        self.memories = 0
        self.globals = {a.name: self.allot(a) for a in kernel.arrays if not a.shared}
        self.stopped = False

    def allot(self, array: Array) -> Memory:
        self.memories += 1
        return Memory(array, self.memories, self.clocks, self.findings)

    def run(self) -> None:
        for block in range(self.kernel.shape.blocks):
            if not self.stopped:
                self.run_block(block)

    # ---- one thread ----

    def start(self, block: int, index: int, shared: dict[str, Memory]) -> Thread:
        (gx, gy, _), (x, y, _) = self.kernel.shape.grid, self.kernel.shape.block
        threads = self.kernel.shape.threads
        present = min(32, threads - index // 32 * 32)
        names: dict[str, Number] = {
            "tx": index % x, "ty": index // x % y, "tz": index // x // y, "tid": index,
            "bx": block % gx, "by": block // gx % gy, "bz": block // gx // gy, "bid": block,
            "lane": index % 32, "gtid": block * threads + index, "full": (1 << present) - 1,
        }  # fmt: skip
        names.update({local.name: local.type.wrap(0) for local in self.kernel.locals})
        thread = Thread(block * threads + index, index, names, {**self.globals, **shared})
        thread.run = self.body(thread)
        return thread

    def body(self, thread: Thread) -> Generator[Statement, Number, None]:
        try:
            yield from self.block(thread, self.kernel.body)
            thread.state = "left"
        except Left:
            thread.state = "left"
        except Killed:
            thread.state = "killed"

    def block(
        self, thread: Thread, statements: list[Statement]
    ) -> Generator[Statement, Number, None]:
        names = thread.names
        for s in statements:
            if isinstance(s, Let):
                names[s.target.name] = s.target.type.wrap(value_of(s.value, names))
            elif isinstance(s, Load):
                names[s.target.name] = self.load(thread, s)
            elif isinstance(s, Store):
                self.store(thread, s)
            elif isinstance(s, Atomic):
                self.atomic(thread, s)
            elif isinstance(s, If):
                branch = s.then if value_of(s.condition, names) else s.otherwise
                yield from self.block(thread, branch)
            elif isinstance(s, Loop):
                v = s.variable
                names[v.name] = value_of(s.start, names)
                while names[v.name] < value_of(s.stop, names):
                    yield from self.block(thread, s.body)
                    names[v.name] = v.type.wrap(names[v.name] + value_of(s.step, names))
            elif isinstance(s, Fence):
                known = self.clocks.known[thread.number]
                thread.fenced = known.copy()
                known[thread.number] += 1
            elif isinstance(s, Return):
                raise Left
            else:
                assert isinstance(s, (Barrier, Collective))
                answer = yield s
                if s.target is not None:
                    names[s.target.name] = s.target.type.wrap(answer)

    def place(self, thread: Thread, s: Load | Store | Atomic, width: int) -> tuple[Memory, int]:
        """The memory and its byte; a thread that misses it is killed."""
        memory = thread.memory[s.array.name]
        index = int(value_of(s.index, thread.names))
        size = s.array.type.bytes
        # A pointer's alignment is judged before what it points to.
        if width > 1 and index * size % (width * size) != 0:
            self.findings.faults.add(("misaligned", s))
            raise Killed
        if index < 0 or index + width > s.array.size:
            self.findings.faults.add(("out_of_bounds", s))
            raise Killed
        return memory, index * size

    def load(self, thread: Thread, s: Load) -> Number:
        memory, low = self.place(thread, s, s.width)
        size, type = s.array.type.bytes, s.target.type
        memory.touch(thread.number, "read", s, low, low + size * s.width)
        total: Number | None = None
        for i in range(s.width):
            part = type.wrap(
                decode(s.array.type, memory.read(low + i * size, low + (i + 1) * size))
            )
            total = part if total is None else type.wrap(total + part)
        assert total is not None
        return total

    def store(self, thread: Thread, s: Store) -> None:
        memory, low = self.place(thread, s, s.width)
        element = s.array.type
        value = element.wrap(value_of(s.value, thread.names))
        raw = b""
        for i in range(s.width):
            moved = s.value.type.wrap(value + i) if s.width > 1 else value
            raw += encode(element, element.wrap(moved))
        memory.touch(thread.number, "write", s, low, low + len(raw), raw)
        memory.write(low, raw)

    def atomic(self, thread: Thread, s: Atomic) -> None:
        memory, low = self.place(thread, s, 1)
        type = s.array.type
        high = low + type.bytes
        me = thread.number
        if thread.fenced is not None:
            before = memory.released.get(low)
            memory.released[low] = (
                thread.fenced.copy() if before is None else np.maximum(before, thread.fenced)
            )
        memory.touch(me, "atomic", s, low, high)
        old = decode(type, memory.read(low, high))
        value = type.wrap(value_of(s.value, thread.names))
        compare = 0 if s.compare is None else value_of(s.compare, thread.names)
        memory.write(low, encode(type, after_atomic(s.op, type, old, value, compare)))
        if low in memory.released:
            known = self.clocks.known
            known[me] = np.maximum(known[me], memory.released[low])
        if s.target is not None:
            thread.names[s.target.name] = old

    # ---- one block ----

    def run_block(self, number: int) -> None:
        shared = {a.name: self.allot(a) for a in self.kernel.arrays if a.shared}
        threads = [self.start(number, i, shared) for i in range(self.kernel.shape.threads)]
        warps = [threads[i : i + 32] for i in range(0, len(threads), 32)]
        while not self.stopped:
            for thread in threads:
                if thread.state == "ready":
                    self.advance(thread)
            moved = [self.meet_warp(warp) for warp in warps]
            if not any(moved) and not self.meet_block(threads) and not self.stalled(warps):
                return

    def advance(self, thread: Thread) -> None:
        assert thread.run is not None
        answer: Any = thread.answer if thread.waits_at is not None else None
        try:
            s = thread.run.send(answer)
        except StopIteration:
            thread.waits_at = None
            return
        assert isinstance(s, (Barrier, Collective))
        thread.waits_at = s
        thread.state = "waiting"
        names = thread.names
        expressions: dict[str, Expr | None] = (
            {"value": s.predicate}
            if isinstance(s, Barrier)
            else {"value": s.value, "argument": s.argument}
        )
        thread.values = {k: value_of(e, names) for k, e in expressions.items() if e is not None}
        if isinstance(s, Collective):
            thread.mask = int(value_of(s.mask, names))
            lane = thread.index % 32
            if not thread.mask >> lane & 1:
                self.findings.faults.add(("warp_mask", s))
                thread.mask |= 1 << lane

    def meet_warp(self, warp: list[Thread]) -> bool:
        """Resolves one operation that all its lanes have reached; False when there is none."""
        for thread in warp:
            s = thread.waits_at
            if thread.state == "waiting" and isinstance(s, Collective):
                together = self.standing_with(warp, thread)
                present = sum(1 << t.index % 32 for t in together)
                if thread.mask & ~present == 0:
                    self.resolve(s, together, warp)
                    return True
        return False

    def standing_with(self, warp: list[Thread], thread: Thread) -> list[Thread]:
        """Lanes wait together when the operation and the mask are the same, wherever they are."""
        s = thread.waits_at
        assert isinstance(s, Collective)
        return [
            t
            for t in warp
            if t.state == "waiting"
            and isinstance(t.waits_at, Collective)
            and (t.waits_at.op, t.mask) == (s.op, thread.mask)
            and thread.mask >> t.index % 32 & 1
        ]

    def resolve(self, s: Collective, together: list[Thread], warp: list[Thread]) -> None:
        lanes = {t.index % 32: t for t in together}
        if s.op == "syncwarp":
            self.meet(together)
        elif s.op.startswith("shfl"):
            for lane, t in lanes.items():
                assert isinstance(t.waits_at, Collective)
                source = shuffle_source(s.op, lane, int(t.values["argument"]), t.waits_at.width)
                if source in lanes:
                    t.answer = lanes[source].values["value"]
                else:
                    self.findings.faults.add(("warp_mask", t.waits_at))
                    t.answer = POISON
        else:
            assert s.value is not None
            values = {lane: t.values["value"] for lane, t in lanes.items()}
            for lane, answer in combine(s.op, s.value.type, values, together[0].mask).items():
                lanes[lane].answer = answer
        for t in together:
            t.state = "ready"

    def meet_block(self, threads: list[Thread]) -> bool:
        """Releases a barrier when all that are left stand at one."""
        left = [t for t in threads if t.alive]
        if not left or not all(isinstance(t.waits_at, Barrier) for t in left):
            return False
        places = {t.waits_at for t in left if t.waits_at is not None}
        if len(places) > 1:
            self.findings.faults.update(("divergent_barrier", place) for place in places)
        if any(t.state == "left" for t in threads):
            self.findings.early_exits |= places
        predicates = [int(t.values.get("value", 0) != 0) for t in left]
        answers = {"sync": 0, "count": sum(predicates), "and": int(all(predicates)),
                   "or": int(any(predicates))}  # fmt: skip
        for t in left:
            assert t.waits_at is not None
            t.answer = answers[t.waits_at.op]
            t.state = "ready"
        # A thread that has left counts as arrived.
        self.meet([t for t in threads if t.alive or t.state == "left"])
        return True

    def meet(self, threads: list[Thread]) -> None:
        """A barrier: all know what any knew, and what one has fenced, another may publish."""
        self.clocks.meet([t.number for t in threads])
        fenced = [t.fenced for t in threads if t.fenced is not None]
        for t in threads if fenced else ():
            t.fenced = np.max(fenced, axis=0)

    def stalled(self, warps: list[list[Thread]]) -> bool:
        """Nobody can go on. True when that was settled, False when the block is done."""
        for warp in warps:
            alive = sum(1 << t.index % 32 for t in warp if t.alive)
            for t in warp:
                if t.state == "waiting" and isinstance(t.waits_at, Collective):
                    together = self.standing_with(warp, t)
                    present = sum(1 << o.index % 32 for o in together)
                    if t.mask & ~present & alive == 0:
                        for other in together:
                            assert other.waits_at is not None
                            self.findings.faults.add(("warp_mask", other.waits_at))
                        self.resolve(t.waits_at, together, warp)
                        return True
        waiting = [t.waits_at for warp in warps for t in warp if t.alive]
        for place in waiting:
            assert place is not None
            self.findings.faults.add(("deadlock", place))
        self.stopped = bool(waiting)
        return False


def interpret(kernel: Kernel) -> Machine:
    machine = Machine(kernel)
    machine.run()
    return machine
