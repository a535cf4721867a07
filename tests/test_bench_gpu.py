"""test_bench_gpu: buffers and stopwatch on a device that keeps its memory in Python and its own
time, with a host whose enqueueing costs time too."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest

import camp.bench.gpu as gpu
from camp.bench.cases import BenchCase
from camp.bench.data import set_values
from camp.bench.gpu import BufferSets, EventStopwatch, Region
from camp.bench.protocol import Candidate

HOST_US_PER_CALL = 5.0
COPY_US = 40.0


class FakeLibrary:
    """Enough of camp._native.Library. The device starts work when it is enqueued or when it is
    done with what came before, whichever is later."""

    def __init__(self) -> None:
        self.blocks: dict[int, ctypes.Array[ctypes.c_char]] = {}
        self.host_us = 0.0
        self.device_us = 0.0
        self.events: dict[int, float] = {}
        self.copies = 0

    def work(self, us: float) -> None:
        self.host_us += HOST_US_PER_CALL
        self.device_us = max(self.device_us, self.host_us) + us

    def perf_counter(self) -> float:
        return self.host_us * 1e-6

    def alloc(self, device: int, size_bytes: int) -> int:
        block = ctypes.create_string_buffer(size_bytes)
        self.blocks[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def free(self, device: int, pointer: int) -> None:
        del self.blocks[pointer]

    def copy(self, to: int, source: int, size_bytes: int, kind: str, stream: int = 0) -> None:
        assert kind in ("host_to_device", "device_to_host", "device_to_device")
        self.copies += 1
        self.work(COPY_US)
        if size_bytes < 1 << 20:  # the load's megabytes need not move
            ctypes.memmove(to, source, size_bytes)

    def memset(self, pointer: int, value: int, size_bytes: int, stream: int = 0) -> None:
        ctypes.memset(pointer, value, size_bytes)
        self.work(1.0)

    def stream_synchronize(self, stream: int) -> None:
        self.host_us = max(self.host_us, self.device_us)

    def event_create(self, device: int) -> int:
        self.events[len(self.events)] = 0.0
        return len(self.events) - 1

    def event_destroy(self, event: int) -> None:
        del self.events[event]

    def event_record(self, event: int, stream: int = 0) -> None:
        self.host_us += 1.0
        self.events[event] = max(self.device_us, self.host_us)

    def event_synchronize(self, event: int) -> None:
        self.stream_synchronize(0)

    def event_elapsed_ms(self, start: int, end: int) -> float:
        return (self.events[end] - self.events[start]) * 1e-3


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLibrary]:
    fake = FakeLibrary()
    monkeypatch.setattr(gpu.time, "perf_counter", fake.perf_counter)
    yield fake
    assert fake.blocks == {}, "device memory leaked"
    assert fake.events == {}


def call_of(library: FakeLibrary, us: float) -> Candidate:
    return Candidate("k", lambda index: library.work(us))


@pytest.mark.parametrize(("us", "calls"), [(2.0, 200), (20.0, 75), (700.0, 1)])
def test_a_sample_is_device_time_alone(library: FakeLibrary, us: float, calls: int) -> None:
    """Though the host needs 5 us a call, longer than the short kernel runs."""
    stopwatch = EventStopwatch(library, 0, 0, l2_bytes=0)
    elapsed = stopwatch.measure(call_of(library, us), [0] * calls)
    assert elapsed / calls == pytest.approx(us, rel=1e-6)
    assert stopwatch.starved == 0
    stopwatch.free()


def test_a_load_that_ends_too_early_is_made_longer(library: FakeLibrary) -> None:
    stopwatch = EventStopwatch(library, 0, 0, l2_bytes=0)
    stopwatch.measure(call_of(library, 2.0), [0] * 200)
    # 200 calls take the host 1000 us; with 40 us a copy less the host's own 5 that is 30 copies.
    assert library.copies > 30
    before = library.copies
    stopwatch.measure(call_of(library, 2.0), [0] * 200)
    assert library.copies - before < before, "the second sample keeps the length found"
    stopwatch.free()


def test_a_device_that_always_waits_is_counted(
    library: FakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "MAX_DELAY_COPIES", 2)
    stopwatch = EventStopwatch(library, 0, 0, l2_bytes=0)
    stopwatch.measure(call_of(library, 2.0), [0] * 200)
    assert stopwatch.starved == 1
    stopwatch.free()


def test_outputs_are_poisoned_before_every_sample(library: FakeLibrary) -> None:
    order: list[str] = []
    candidate = Candidate(
        "k",
        lambda index: order.append(f"call {index}"),
        lambda index: order.append(f"poison {index}"),
    )
    stopwatch = EventStopwatch(library, 0, 0, l2_bytes=0)
    stopwatch.measure(candidate, [3, 4, 3])
    assert order == ["poison 3", "poison 4", "call 3", "call 4", "call 3"]
    stopwatch.free()


CASE = BenchCase("c", "bf16", {"y": (6, 50), "x": (6, 50)})


def test_every_set_holds_what_the_parent_expects(library: FakeLibrary) -> None:
    sets = BufferSets(library, 0, 0, CASE, 5)
    sets.fill(["x"], seed=9)
    for index in range(5):
        expected = set_values(CASE, "x", 9, index)
        assert np.array_equal(sets.read("x", index), expected)
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
