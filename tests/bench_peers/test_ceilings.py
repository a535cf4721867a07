"""test_ceilings: which kind a case is of, and what its ceilings move."""

from __future__ import annotations

import itertools
import math

import pytest

from camp.bench.cases import BenchCase, load_cases
from camp.bench.ceilings import arrays, candidates, kind, part_bytes
from camp.spec import load_spec
from tests.bench_peers.rigs import ROOT, make_rig


def case(dtype: str = "f32", **shapes: tuple[int, ...]) -> BenchCase:
    return BenchCase("c", dtype, shapes)


@pytest.mark.parametrize(
    ("inputs", "outputs", "shapes", "expected"),
    [
        ("x", "y", {"y": (1000,), "x": (1000,)}, "copy"),
        ("x", "y", {"y": (), "x": (1000,)}, "read"),
        ("x", "y", {"y": (100,), "x": (100, 128)}, "read"),
        # 1 of 9 elements is written: more than a tenth.
        ("x", "y", {"y": (100,), "x": (100, 8)}, "copy"),
        # Exactly a tenth counts, a little less does not.
        ("x", "y", {"y": (100,), "x": (100, 9)}, "copy"),
        ("x", "y", {"y": (99,), "x": (901,)}, "read"),
        ("", "y", {"y": (1000,)}, "write"),
        ("", "yz", {"y": (1000,), "z": (1000,)}, "write"),
        ("ab", "z", {"z": (1000,), "a": (1000,), "b": (1000,)}, "2 reads + 1 write"),
        ("abc", "z", {"z": (9,), "a": (9,), "b": (9,), "c": (9,)}, "3 reads + 1 write"),
        ("a", "yz", {"y": (1000,), "z": (1000,), "a": (1000,)}, "1 read + 2 writes"),
        ("ab", "y", {"y": (), "a": (1000,), "b": (1000,)}, "read"),
        # A row that is added to each of many is no array worth counting.
        ("ab", "z", {"z": (1000, 10), "a": (1000, 10), "b": (10,)}, "copy"),
    ],
)
def test_kind(inputs: str, outputs: str, shapes: dict[str, tuple[int, ...]], expected: str) -> None:
    assert kind(case(**shapes), list(inputs), list(outputs)) == expected


def test_where_no_tensor_is_large_all_count() -> None:
    names = [f"i{number}" for number in range(11)]
    many = BenchCase("c", "f32", {"y": (5,), **dict.fromkeys(names, (5,))})
    assert kind(many, names, ["y"]) == "11 reads + 1 write"


@pytest.mark.parametrize(
    ("op", "kinds"),
    [
        ("copy", {"copy"}),
        ("relu", {"copy"}),
        ("softmax", {"copy"}),
        ("vector_add", {"2 reads + 1 write"}),
        ("reduce_sum", {"read"}),
    ],
)
def test_kinds_of_the_operators(op: str, kinds: set[str]) -> None:
    spec, module = load_spec(ROOT, op), load_cases(ROOT, op)
    inputs, outputs = [t.name for t in spec.inputs], [t.name for t in spec.outputs]
    assert {kind(one, inputs, outputs) for one in module.CASES} == kinds


@pytest.mark.parametrize("size", [1, 16, 17, 4095, 1 << 20, (1 << 20) + 4])
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_parts_cover_the_bytes_in_whole_vectors(size: int, parts: int) -> None:
    each = part_bytes(size, parts)
    assert each % 16 == 0
    assert size <= each * parts < size + 16 * parts


class Recorder:
    """A BenchLibrary that notes what it is asked to move."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[int], list[int], int]] = []

    def fastest(self, sets: list[list[int]], reads: int, bytes_each: int, stream: int) -> int:
        return 1

    def stream_through(
        self, reads: list[int], writes: list[int], bytes_each: int, geometry: int, stream: int
    ) -> None:
        assert geometry == 1, "the one found to be the fastest"
        self.calls.append((list(reads), list(writes), bytes_each))


@pytest.mark.parametrize("n", [1, 1000, 1001])
def test_a_ceiling_moves_the_bytes_of_the_case_in_memory_beside(n: int) -> None:
    bench = Recorder()
    one = case(z=(n,), a=(n,), b=(n,))
    rig = make_rig("vector_add", one, bench=bench)
    found = {candidate.name: candidate for candidate in candidates(rig)}
    assert list(found) == ["copy", "2 reads + 1 write"]
    assert arrays(one, ["a", "b"], ["z"]) == (2, 1)
    for name, counts in (("copy", (1, 1)), ("2 reads + 1 write", (2, 1))):
        for index in range(rig.count):
            found[name].call(index)
            reads, writes, each = bench.calls[-1]
            assert (len(reads), len(writes)) == counts
            assert each * sum(counts) >= one.minimum_bytes
            starts = sorted(reads + writes)
            assert all(start % 16 == 0 for start in starts)
            # Inside the memory beside this set, and nowhere twice.
            assert starts[0] == rig.slab(index)
            assert all(b - a >= each for a, b in itertools.pairwise(starts))
            if index + 1 < rig.count:
                assert starts[-1] + each <= rig.slab(index + 1)
    rig.free()


def test_without_the_library_the_device_copies() -> None:
    one = case(y=(1000,), x=(1000,))
    rig = make_rig("copy", one)
    [copy] = candidates(rig)
    assert copy.name == "copy"
    for pointer, size in ((rig.slab(1), 4000), (rig.slab(1) + 4000, 4000)):
        rig.runtime.memset(pointer, int(pointer == rig.slab(1)), size)
    copy.call(1)
    moved = rig.runtime.blocks[rig.slab(0)][rig.slab(1) - rig.slab(0) :][:4000]
    assert moved == bytes(4000)
    rig.free()


def test_a_read_counts_every_input() -> None:
    """Two inputs and a scalar: as many bytes as the case has, in one array."""
    bench = Recorder()
    one = case(y=(), x=(5000,))
    rig = make_rig("reduce_sum", one, bench=bench)
    own = candidates(rig)[1]
    own.call(0)
    reads, writes, each = bench.calls[-1]
    assert (own.name, len(reads), writes) == ("read", 1, [])
    assert each == math.ceil(one.minimum_bytes / 16) * 16
    rig.free()
