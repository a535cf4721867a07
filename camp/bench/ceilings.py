"""ceilings: the fastest that a device moves data of one kind, measured like a peer.

A kind says how many arrays are read and how many are written: reading or writing alone is faster
than copying. Each ceiling moves as many bytes as the case must, in arrays of equal size, and does
nothing else with them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from camp.bench.cases import BenchCase
from camp.bench.library import MAX_ARRAYS, TILE_BYTES
from camp.bench.protocol import Candidate
from camp.bench.rig import Rig

MOST = MAX_ARRAYS - 1  # times as much read as written, or the reverse; beyond, the rest is nothing
SLACK = 0.1  # of a written array: so much more reading does not make it another array
COPY = "copy"


def kind(case: BenchCase, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """The kind of a case: "read", "write", "copy", "2 reads + 1 write" and so on."""
    return name_of(*arrays(case, inputs, outputs))


def arrays(case: BenchCase, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[int, int]:
    """In how many arrays of equal size a case's bytes are read and written, one of the two in one.

    Rounded away from a copy, which is the slowest: a ceiling may be a little too fast for a case,
    but one that can be beaten is none.
    """
    read = sum(case.bytes_of(name) for name in inputs)
    written = sum(case.bytes_of(name) for name in outputs)
    if read >= written:
        return _times(read, written), int(read <= MOST * written)
    return int(written <= MOST * read), _times(written, read)


def _times(more: int, less: int) -> int:
    """How many times one is the other, rounded up; 1 where the other counts for nothing."""
    return max(1, math.ceil(more / less - SLACK)) if more <= MOST * less else 1


def name_of(reads: int, writes: int) -> str:
    """The word for a kind."""
    words = {(1, 0): "read", (0, 1): "write", (1, 1): COPY}
    if (reads, writes) in words:
        return words[reads, writes]
    return f"{_counted(reads, 'read')} + {_counted(writes, 'write')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def candidates(rig: Rig) -> list[Candidate]:
    """The ceiling of the case's own kind and that of a copy, each named by its kind.

    Without libcamp_bench.so there is one, a copy by the device's own copy function.
    """
    if rig.libraries.bench is None:
        return [_device_copy(rig)]
    own = arrays(rig.case, rig.inputs, rig.outputs)
    return [_stream(rig, *counts) for counts in dict.fromkeys(((1, 1), own))]


def _stream(rig: Rig, reads: int, writes: int) -> Candidate:
    bench, size = rig.libraries.bench, part_bytes(rig.case.minimum_bytes, reads + writes)
    assert bench is not None
    sets = rig.arrays([size] * (reads + writes))
    geometry = bench.fastest(sets, reads, size, rig.stream)

    def call(index: int) -> None:
        parts = sets[index % len(sets)]
        bench.stream_through(parts[:reads], parts[reads:], size, geometry, rig.stream)

    return Candidate(name_of(reads, writes), call)


def part_bytes(total_bytes: int, parts: int) -> int:
    """Bytes of each of `parts` equal arrays that total `total_bytes`, less what is no whole tile;
    at least a tile."""
    return max(1, total_bytes // (parts * TILE_BYTES)) * TILE_BYTES


def _device_copy(rig: Rig) -> Candidate:
    half = rig.case.minimum_bytes // 2
    sets = rig.arrays([half, half])

    def call(index: int) -> None:
        source, target = sets[index % len(sets)]
        rig.runtime.copy(target, source, half, "device_to_device", rig.stream)

    return Candidate(COPY, call)
