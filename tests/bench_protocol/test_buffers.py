"""test_buffers: what the sets of a case hold, on a device whose memory lies in Python."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import camp.bench.data as data
from camp.bench.cases import BenchCase
from camp.bench.data import set_values
from camp.bench.gpu import BufferSets, Region
from tests.bench_protocol.fake_library import FakeLibrary

CASE = BenchCase("c", "bf16", {"y": (6, 50), "x": (6, 50)})


@pytest.fixture
def library() -> Iterator[FakeLibrary]:
    fake = FakeLibrary()
    yield fake
    assert fake.blocks == {}, "device memory leaked"


@pytest.mark.parametrize("period", [data.PERIOD, 300, 299, 101, 7])
def test_every_set_holds_what_the_parent_expects(
    library: FakeLibrary, period: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "PERIOD", period)
    sets = BufferSets(library, 0, 0, CASE, 5)
    sets.fill(["x"], seed=9)
    for index in range(5):
        expected = set_values(CASE, "x", 9, index)
        assert np.array_equal(sets.read("x", index), expected)
        rows = slice(2, 5)
        assert np.array_equal(sets.read("x", index, rows), expected[rows])
        assert np.array_equal(set_values(CASE, "x", 9, index, rows), expected[rows])
    assert not np.array_equal(sets.read("x", 1), sets.read("x", 2))
    sets.free()


def test_poison_fills_one_output_and_nothing_else(library: FakeLibrary) -> None:
    sets = BufferSets(library, 0, 0, CASE, 3)
    sets.fill(["x"], seed=9)
    for index in range(3):
        library.memset(sets.regions["y"].slot(index), 0, CASE.bytes_of("y"))
    sets.poison(1, ["y"])
    assert (sets.read("y", 1) == 0xFFFF).all()
    assert not sets.read("y", 0).any()
    assert not sets.read("y", 2).any()
    assert np.array_equal(sets.read("x", 1), set_values(CASE, "x", 9, 1))
    sets.free()


def test_slots_are_aligned_and_apart(library: FakeLibrary) -> None:
    region = Region(library, 0, 1000, 4)
    steps = {region.slot(index + 1) - region.slot(index) for index in range(3)}
    assert steps == {1024}
    region.free()


def test_a_scalar_output_has_a_slot(library: FakeLibrary) -> None:
    case = BenchCase("c", "f32", {"y": (), "x": (7,)})
    sets = BufferSets(library, 0, 0, case, 2)
    sets.poison(1, ["y"])
    assert np.isnan(sets.read("y", 1))
    assert [shape for _, _, shape in sets.tensors(0)] == [(), (7,)]
    sets.free()
