"""test_ceilings: which kind a case is of, and what its ceilings move."""

from __future__ import annotations

import ctypes
import itertools

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
        ("", "y", {"y": (1000,)}, "write"),
        ("ab", "z", {"z": (1000,), "a": (1000,), "b": (1000,)}, "2 reads + 1 write"),
        ("abc", "z", {"z": (9,), "a": (9,), "b": (9,), "c": (9,)}, "3 reads + 1 write"),
        ("a", "yz", {"y": (1000,), "z": (1000,), "a": (1000,)}, "1 read + 2 writes"),
        # What is alike in its proportion is alike.
        ("ab", "y", {"y": (), "a": (1000,), "b": (1000,)}, "read"),
        ("", "yz", {"y": (1000,), "z": (1000,)}, "write"),
        ("ab", "yz", {"y": (10,), "z": (10,), "a": (10,), "b": (10,)}, "copy"),
        # Sums of narrow rows: a third, an eighth, a ninth of the bytes is written.
        ("x", "y", {"y": (100,), "x": (100, 2)}, "2 reads + 1 write"),
        ("x", "y", {"y": (100,), "x": (100, 7)}, "7 reads + 1 write"),
        ("x", "y", {"y": (100,), "x": (100, 8)}, "read"),
        ("x", "y", {"y": (100, 8), "x": (100,)}, "write"),
        # More reading than a copy's, though not twice as much: the faster of the two.
        ("ab", "z", {"z": (1000,), "a": (1000,), "b": (700,)}, "2 reads + 1 write"),
        # A row that is added to each of many is no array worth counting.
        ("ab", "z", {"z": (100, 10), "a": (100, 10), "b": (10,)}, "copy"),
    ],
)
def test_kind(inputs: str, outputs: str, shapes: dict[str, tuple[int, ...]], expected: str) -> None:
    assert kind(case(**shapes), list(inputs), list(outputs)) == expected


def test_as_many_arrays_as_an_operator_may_have() -> None:
    names = [f"i{number}" for number in range(7)]
    many = BenchCase("c", "f32", {"y": (5,), **dict.fromkeys(names, (5,))})
    assert kind(many, names, ["y"]) == "7 reads + 1 write"


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


TILE = 16384


@pytest.mark.parametrize(
    ("total", "parts", "each"),
    [
        (4, 1, TILE),  # never less than a tile
        (2 * TILE, 2, TILE),
        (3 * TILE - 1, 2, TILE),
        (1 << 20, 2, 1 << 19),
        (3 << 22, 3, 1 << 22),
        (3 << 22, 2, 3 << 21),
        ((1 << 22) + 4, 1, 1 << 22),  # a scalar output beside the input
        (2 * 8192 * 1001 * 2, 2, 8192 * 1001 * 2 // TILE * TILE),
    ],
)
def test_parts_are_whole_tiles_of_the_bytes(total: int, parts: int, each: int) -> None:
    assert part_bytes(total, parts) == each


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


@pytest.mark.parametrize("sets", [1, 3])
@pytest.mark.parametrize("n", [1, 1001, 40_000])
def test_ceilings_move_the_bytes_of_the_case_in_memory_beside(n: int, sets: int) -> None:
    bench = Recorder()
    one = case(z=(n,), a=(n,), b=(n,))
    rig = make_rig("vector_add", one, sets, bench=bench)
    beside = max(rig.runtime.blocks, key=lambda address: len(rig.runtime.blocks[address]))
    end = beside + len(rig.runtime.blocks[beside])
    found = {candidate.name: candidate for candidate in candidates(rig)}
    assert list(found) == ["copy", "2 reads + 1 write"]
    assert arrays(one, ["a", "b"], ["z"]) == (2, 1)
    for name, counts in (("copy", (1, 1)), ("2 reads + 1 write", (2, 1))):
        bench.calls.clear()
        for index in range(rig.count):
            found[name].call(index)
        assert {(len(reads), len(writes)) for reads, writes, _ in bench.calls} == {counts}
        [each] = {each for _, _, each in bench.calls}
        assert each == part_bytes(one.minimum_bytes, sum(counts))
        starts = sorted({start for reads, writes, _ in bench.calls for start in reads + writes})
        assert all(start % 16 == 0 for start in starts)
        # In the memory beside, and nowhere twice. A case smaller than a tile has fewer sets.
        assert beside <= starts[0]
        assert starts[-1] + each <= end
        assert all(b - a >= each for a, b in itertools.pairwise(starts))
        if one.minimum_bytes >= TILE * sum(counts):
            assert len(starts) == rig.count * sum(counts)
    rig.free()


def test_without_the_library_the_device_copies() -> None:
    rig = make_rig("copy", case(y=(1000,), x=(1000,)))
    source, target = rig.arrays([4000, 4000])[1]
    rig.runtime.memset(source, 7, 4000)
    rig.runtime.memset(target, 8, 4000)
    [copy] = candidates(rig)
    assert copy.name == "copy"
    copy.call(1)
    assert ctypes.string_at(target, 4000) == bytes([7]) * 4000
    rig.free()


def test_a_read_is_one_array_of_all_that_is_read() -> None:
    bench = Recorder()
    rig = make_rig("reduce_sum", case(y=(), x=(TILE,)), bench=bench)
    own = candidates(rig)[1]
    own.call(0)
    reads, writes, each = bench.calls[-1]
    assert (own.name, len(reads), writes, each) == ("read", 1, [], 4 * TILE)
    rig.free()
