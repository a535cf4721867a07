"""ceilings: the fastest that a device moves data of one kind, measured like a peer.

A kind says how many arrays are read and how many are written: reading or writing alone is faster
than copying. Each ceiling moves as many bytes as the case must, in arrays of equal size, and does
nothing else with them.
"""

from __future__ import annotations

from collections.abc import Sequence

from camp.bench.cases import BenchCase
from camp.bench.library import TILE_BYTES
from camp.bench.protocol import Candidate
from camp.bench.rig import Rig

SHARE = 0.10  # of the case's bytes: smaller tensors do not make the kind
COPY = "copy"


def kind(case: BenchCase, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """The kind of a case: "read", "write", "copy", "2 reads + 1 write" and so on."""
    return name_of(*arrays(case, inputs, outputs))


def arrays(case: BenchCase, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[int, int]:
    """How many of its tensors a case reads and writes that carry at least a tenth of its bytes.

    Where no tensor does, all count. Several arrays that are only read, or only written, are the
    same to the memory as one.
    """
    least = SHARE * case.minimum_bytes
    reads = sum(case.bytes_of(name) >= least for name in inputs)
    writes = sum(case.bytes_of(name) >= least for name in outputs)
    if reads + writes == 0:
        reads, writes = len(inputs), len(outputs)
    if reads == 0 or writes == 0:
        return min(reads, 1), min(writes, 1)
    return reads, writes


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
