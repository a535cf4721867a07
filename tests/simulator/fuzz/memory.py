"""memory: bytes that remember every access to them, and the full vector clock of every thread.

Slow and obvious on purpose. Two accesses race when they overlap, one writes, not both are atomic,
and the later thread's clock does not hold the earlier one's moment.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from tests.simulator.fuzz.language import Array, Number, Statement, Type, first_value

FORMATS = {"u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
           "f32": "f", "f64": "d"}  # fmt: skip
LINE_BYTES = 16  # no access crosses a multiple of it
ENGINE_CELLS = 3  # accesses that the engine remembers of a 4-byte word


def encode(type: Type, value: Number) -> bytes:
    return struct.pack("<" + FORMATS[type.name], value)


def decode(type: Type, raw: bytes) -> Number:
    value: Number = struct.unpack("<" + FORMATS[type.name], raw)[0]
    return value


@dataclass(eq=False)
class Access:
    """One access of one thread; `kind` is read, write or atomic."""

    thread: int
    clock: int
    kind: str
    statement: Statement
    low: int
    high: int
    written: bytes = b""


@dataclass
class Word:
    """What happened at four bytes that somebody raced for."""

    pairs: set[frozenset[Statement]] = field(default_factory=set)
    must: bool = False  # the engine cannot have forgotten


@dataclass
class Findings:
    """What the rules say of one run."""

    # Pairs of statements -> kinds they may be reported as.
    races: dict[frozenset[Statement], set[str]] = field(default_factory=lambda: defaultdict(set))
    words: dict[tuple[int, int], Word] = field(default_factory=lambda: defaultdict(Word))
    faults: set[tuple[str, Statement]] = field(default_factory=set)
    # Reads of bytes that nothing had written: statement, memory, byte.
    unwritten: set[tuple[Statement, int, int]] = field(default_factory=set)
    racing_bytes: set[tuple[Statement, int, int]] = field(default_factory=set)
    early_exits: set[Statement] = field(default_factory=set)


class Clocks:
    """Row t: what thread t knows of every thread's past."""

    def __init__(self, threads: int) -> None:
        self.known = np.zeros((threads, threads), dtype=np.int32)
        np.fill_diagonal(self.known, 1)

    def now(self, thread: int) -> int:
        return int(self.known[thread, thread])

    def meet(self, threads: list[int]) -> None:
        """What any of them knew, all of them know."""
        self.known[threads] = self.known[threads].max(axis=0)
        for thread in threads:
            self.known[thread, thread] += 1

    def knows(self, thread: int, past: Access) -> bool:
        return bool(self.known[thread, past.thread] >= past.clock)


class Memory:
    """One array: for all blocks, or of one block."""

    def __init__(self, array: Array, number: int, clocks: Clocks, findings: Findings) -> None:
        self.array = array
        self.number = number
        self.clocks = clocks
        self.findings = findings
        self.size = array.size * array.type.bytes
        self.data = bytearray(self.size)
        self.written = bytearray(self.size)  # 1 where something has written
        self.history: dict[int, list[Access]] = defaultdict(list)
        self.released: dict[int, np.ndarray] = {}  # by address: what atomics published there
        if array.seed is not None:
            raw = (encode(array.type, first_value(array.seed, i, array.type))
                   for i in range(array.size))  # fmt: skip
            self.data[:] = b"".join(raw)
            self.written[:] = b"\1" * self.size

    def touch(self, thread: int, kind: str, statement: Statement, low: int, high: int,
              written: bytes = b"") -> None:  # fmt: skip
        """Judges the access against all before it, and remembers it."""
        access = Access(thread, self.clocks.now(thread), kind, statement, low, high, written)
        if kind != "write":
            for at in range(low, high):
                if not self.written[at]:
                    self.findings.unwritten.add((statement, self.number, at))
        line = self.history[low // LINE_BYTES]
        racing = [past for past in line if self.races(past, access)]
        if racing:
            self.note(racing, access, line)
        line.append(access)

    def races(self, past: Access, now: Access) -> bool:
        return (
            (past.kind != "read" or now.kind != "read")
            and past.thread != now.thread
            and past.low < now.high
            and now.low < past.high
            and not (past.kind == "atomic" and now.kind == "atomic")
            and not self.clocks.knows(now.thread, past)
        )

    def note(self, racing: list[Access], now: Access, line: list[Access]) -> None:
        here = [a for a in line if a.low < now.high and now.low < a.high]
        for past in racing:
            low, high = max(past.low, now.low), min(past.high, now.high)
            pair = frozenset((past.statement, now.statement))
            self.findings.races[pair] |= self.kinds(past, now, low, high, here)
            for at in range(low, high):
                self.findings.racing_bytes.add((past.statement, self.number, at))
                self.findings.racing_bytes.add((now.statement, self.number, at))
            for word in range(low // 4, (high - 1) // 4 + 1):
                self.findings.words[self.number, word].pairs.add(pair)
        # The engine keeps three accesses a word: with fewer than three others in their way, a
        # racing one is among them.
        racing_ones = set(map(id, racing))
        for word in range(now.low // 4, (now.high - 1) // 4 + 1):
            begin, end = word * 4, word * 4 + 4
            if not any(a.low < end and begin < a.high for a in racing):
                continue
            others = {
                (a.thread, a.kind, a.low, a.high)
                for a in line
                if a.low < end and begin < a.high and id(a) not in racing_ones
            }
            if len(others) < ENGINE_CELLS:
                self.findings.words[self.number, word].must = True

    def kinds(self, past: Access, now: Access, low: int, high: int, here: list[Access]) -> set[str]:
        """What the pair may be called. A write that changes nothing is only wasted; where others
        write too, both may be right: it depends on what the write found."""
        if not past.kind == now.kind == "write":
            return {"race"}
        mine = now.written[low - now.low : high - now.low]
        values = {mine}
        for a in here:
            if a.kind != "read":
                values.add(a.written[max(low, a.low) - a.low : min(high, a.high) - a.low])
        same = past.written[low - past.low : high - past.low] == mine
        if len(values) > 2 - same:
            return {"race", "redundant_write"}
        return {"redundant_write"} if same else {"race"}

    def read(self, low: int, high: int) -> bytes:
        return bytes(self.data[low:high])

    def write(self, low: int, raw: bytes) -> None:
        self.data[low : low + len(raw)] = raw
        self.written[low : low + len(raw)] = b"\1" * len(raw)
