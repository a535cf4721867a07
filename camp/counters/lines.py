"""lines: the counters of each source line, and how much of the whole call it wastes."""

from __future__ import annotations

from dataclasses import dataclass

from camp.counters.counts import GLOBAL_KINDS, SECTOR_BYTES, SHARED_KINDS, Counts, Place, total
from camp.counters.model import Counters, KernelCounters


@dataclass(frozen=True)
class LineCounters:
    """What one line did in one call, over all kernels that contain it.

    executions, lanes: of the most of its code that is entered at once, or of its memory requests
        where only those were counted.
    full_lanes: the lanes that would have run had every thread of a warp taken part.
    idle: lanes that did not, in all of its code, by instruction.
    waste: share of the call, [0, 1], that the line spends beyond its ideal: the larger of its parts
        of all passes to memory and, where the lanes of all code were counted, of all lanes.
    """

    place: Place
    kinds: tuple[str, ...]
    in_global: Counts
    in_shared: Counts
    executions: int
    lanes: int
    full_lanes: float
    idle: float
    waste: float

    @property
    def active_lanes(self) -> float | None:
        """Mean lanes that run together; None where nothing was counted."""
        return self.lanes / self.executions if self.executions else None

    @property
    def ideal_lanes(self) -> float | None:
        """The lanes a warp of these kernels has."""
        return self.full_lanes / self.executions if self.executions else None


@dataclass(frozen=True)
class Whole:
    """What the parts of all lines are shares of; lanes are 0 unless those of all code are known."""

    passes: int  # to memory: sectors and wavefronts
    lanes: float


def whole(counters: Counters) -> Whole:
    """The passes to memory and the lanes of a call."""
    return Whole(
        counters.in_global.sectors + counters.in_shared.wavefronts,
        sum(
            branch.executions * branch.instructions * kernel.full_lanes
            for kernel in counters.kernels
            for branch in kernel.branches
        ),
    )


def lines(counters: Counters) -> list[LineCounters]:
    """The lines of the kernel file, then those of other files that touch memory, by file and line.
    Unknown places and lines of helpers that only compute are left out."""
    everything = whole(counters)
    again = {kind: _read_again(counters, kind) for kind in ("global_load", "global_store")}
    places = {access.place for access in counters.accesses}
    entered = {branch.place for kernel in counters.kernels for branch in kernel.branches}
    places |= {place for place in entered if place.file == counters.file}
    known = [place for place in places if place]
    known.sort(key=lambda place: (place.file != counters.file, place.file, place.line))
    return [_line(counters, place, everything, again) for place in known]


def _line(
    counters: Counters, place: Place, everything: Whole, again: dict[str, float]
) -> LineCounters:
    mine = [access for access in counters.accesses if access.place == place]
    in_global, in_shared = total(mine, *GLOBAL_KINDS), total(mine, *SHARED_KINDS)
    runs = [(kernel, *_runs(kernel, place, counters.has_branches)) for kernel in counters.kernels]
    executions, lanes = sum(count for _, count, _ in runs), sum(active for *_, active in runs)
    full = sum(count * kernel.full_lanes for kernel, count, _ in runs)
    idle = sum(_idle(kernel, place) for kernel in counters.kernels)
    beyond: float = in_global.excess_sectors + in_shared.bank_conflicts
    # What is moved again lies on no one line: each line that moves such bytes has its part.
    beyond += sum(again.get(access.kind, 0.0) * access.counts.ideal_sectors for access in mine)
    return LineCounters(
        place=place,
        kinds=tuple(sorted({access.kind for access in mine})),
        in_global=in_global,
        in_shared=in_shared,
        executions=executions,
        lanes=lanes,
        full_lanes=full,
        idle=idle,
        waste=max(
            _share(beyond, everything.passes),
            _share(idle, everything.lanes),
        ),
    )


def _runs(kernel: KernelCounters, place: Place, by_branch: bool) -> tuple[int, int]:
    """(executions, lanes) of a line in one kernel."""
    if by_branch:
        entered = [branch for branch in kernel.branches if branch.place == place]
        # The compiler moves instructions between lines; the few that strayed do not count.
        most = max(entered, key=lambda b: (b.executions * b.instructions, -b.lanes), default=None)
        return (most.executions, most.lanes) if most else (0, 0)
    counts = total(access for access in kernel.accesses if access.place == place)
    return counts.requests, counts.lanes


def _idle(kernel: KernelCounters, place: Place) -> float:
    return sum(
        branch.instructions * max(0.0, branch.executions * kernel.full_lanes - branch.lanes)
        for branch in kernel.branches
        if branch.place == place
    )


def _read_again(counters: Counters, kind: str) -> float:
    """The part of all bytes read (or written) that the minimum has not: 0 for one pass."""
    moved = total(counters.accesses, kind).ideal_sectors * SECTOR_BYTES
    least = counters.bytes_of("input" if kind == "global_load" else "output")
    return max(0.0, 1 - least / moved) if moved else 0.0


def _share(part: float, of: float) -> float:
    return min(1.0, max(0.0, part / of)) if of else 0.0
