"""counts: the numbers of a report: accesses and branches, added up by place, kind or kernel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import reduce
from operator import add

SECTOR_BYTES = 32
WARP_LANES = 32
GLOBAL_KINDS = ("global_load", "global_store", "global_atomic")
SHARED_KINDS = ("shared_load", "shared_store", "shared_atomic")


@dataclass(frozen=True)
class Place:
    """A line of source; "" and 0 where it is unknown."""

    file: str = ""
    line: int = 0

    def __bool__(self) -> bool:
        return bool(self.file)


@dataclass(frozen=True)
class Counts:
    """Memory requests of warps, added up.

    requests: instructions of a warp. lanes: active lanes of them. bytes: what the lanes asked for.
    sectors: 32-byte pieces of global memory touched; ideal_sectors: the fewest that hold the
    distinct bytes of each request. wavefronts: passes over the 32 banks of shared memory;
    ideal_wavefronts: the fewest for those bytes. turns: of atomics, the most lanes on one address
    in each request, which go one after the other; sectors and wavefronts have each of them.
    """

    requests: int = 0
    lanes: int = 0
    bytes: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    turns: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def moved_bytes(self) -> int:
        """Bytes of the sectors touched."""
        return self.sectors * SECTOR_BYTES

    @property
    def excess_sectors(self) -> int:
        """Sectors beyond the ideal."""
        return max(0, self.sectors - self.ideal_sectors)

    @property
    def bank_conflicts(self) -> int:
        """Wavefronts beyond the ideal."""
        return max(0, self.wavefronts - self.ideal_wavefronts)

    @property
    def waits(self) -> int:
        """Turns of atomics beyond the first of each request."""
        return max(0, self.turns - self.requests) if self.turns else 0

    def per_request(self, count: int) -> float:
        """`count` over the requests; 0 without requests."""
        return count / self.requests if self.requests else 0.0


@dataclass(frozen=True)
class Access:
    """The counts of one instruction in the code.

    place: the line of the kernel file it belongs to, or its own line where it is inlined into none.
    """

    kind: str
    place: Place
    counts: Counts

    @property
    def is_global(self) -> bool:
        return self.kind in GLOBAL_KINDS


@dataclass(frozen=True)
class Branch:
    """Entries of warps into a piece of straight-line code, and the lanes that took part in all.

    instructions: those of the simulator's code that are of this line. They differ from a GPU's,
    and serve as the weight of a line among others.
    """

    place: Place
    executions: int
    lanes: int
    instructions: int = 1


def total(accesses: Iterable[Access], *kinds: str) -> Counts:
    """The sum over all accesses, or over those of these kinds."""
    chosen = (access.counts for access in accesses if not kinds or access.kind in kinds)
    return reduce(add, chosen, Counts())
