"""test_stopwatch: what one sample is on a device with its own time and a host that costs time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import camp.bench.stopwatch as module
from camp.bench.protocol import Batch, Candidate, sample
from camp.bench.stopwatch import DeviceStopwatch
from camp.errors import LaunchError
from tests.bench_protocol.fake_device import FULL
from tests.bench_protocol.fake_library import COPY_US, FakeLibrary


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLibrary]:
    fake = FakeLibrary()
    monkeypatch.setattr(module.time, "perf_counter", fake.perf_counter)
    yield fake
    assert fake.blocks == {}, "device memory leaked"
    assert fake.events == fake.graphs == {}


@pytest.fixture
def stopwatch(library: FakeLibrary) -> Iterator[DeviceStopwatch]:
    made = DeviceStopwatch(library, 0, 0, l2_bytes=0)
    yield made
    made.free()


def batch(library: FakeLibrary, us: float, calls: int) -> Batch:
    return Batch(Candidate("k", library.call(us)), (0,) * calls)


@pytest.mark.parametrize(("us", "calls"), [(2.0, 200), (20.0, 75), (700.0, 1)])
def test_a_sample_is_device_time_alone(
    library: FakeLibrary, stopwatch: DeviceStopwatch, us: float, calls: int
) -> None:
    """Though the host needs 5 us a call, longer than the short kernel runs."""
    reading = stopwatch.measure(batch(library, us, calls))
    assert reading.us / calls == pytest.approx(us, rel=1e-6)
    assert stopwatch.starved == 0


def test_a_graph_takes_as_long_as_its_calls_and_one_launch(
    library: FakeLibrary, stopwatch: DeviceStopwatch
) -> None:
    captured = stopwatch.capture(batch(library, 2.0, 200))
    assert library.graphs == {captured.graph: [2.0] * 200}
    host_us = library.host_us
    assert stopwatch.measure(captured).us == pytest.approx(400.0)
    assert library.copies == 1, "200 calls would have needed a load of 30 copies"
    assert library.host_us - host_us < 600.0


def test_calls_that_cannot_be_captured_leave_the_stream_usable(
    library: FakeLibrary, stopwatch: DeviceStopwatch
) -> None:
    waits = Candidate("k", lambda index: library.stream_synchronize(0))
    with pytest.raises(LaunchError, match="cannot be waited for"):
        stopwatch.capture(Batch(waits, (0, 1)))
    assert library.capturing is None
    assert stopwatch.measure(batch(library, 20.0, 10)).us == pytest.approx(200.0)


def test_a_call_that_raises_during_capture_leaves_no_graph(
    library: FakeLibrary, stopwatch: DeviceStopwatch
) -> None:
    def call(index: int) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        stopwatch.capture(Batch(Candidate("k", call), (0,)))
    assert library.graphs == {}


def test_a_load_that_ends_too_early_is_made_longer(
    library: FakeLibrary, stopwatch: DeviceStopwatch
) -> None:
    stopwatch.measure(batch(library, 2.0, 200))
    # 200 calls take the host 1000 us; with 40 us a copy less the host's own 5 that is 30 copies.
    assert library.copies > 30
    before = library.copies
    stopwatch.measure(batch(library, 2.0, 200))
    assert library.copies - before < before, "the second sample keeps the length found"


def test_a_long_load_for_one_candidate_is_no_load_for_the_next(
    library: FakeLibrary, stopwatch: DeviceStopwatch
) -> None:
    stopwatch.measure(batch(library, 2.0, 200))
    before = library.copies
    stopwatch.measure(Batch(Candidate("other", library.call(700.0)), (0,)))
    assert library.copies - before == 1
    before = library.copies
    stopwatch.measure(stopwatch.capture(batch(library, 2.0, 200)))
    assert library.copies - before == 1, "nor for the same calls in a graph"


def test_a_device_that_always_waits_is_counted(
    library: FakeLibrary, stopwatch: DeviceStopwatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_DELAY_COPIES", 2)
    stopwatch.measure(batch(library, 2.0, 200))
    assert stopwatch.starved == 1


def test_outputs_are_poisoned_before_every_sample(
    library: FakeLibrary, stopwatch: DeviceStopwatch
) -> None:
    order: list[str] = []
    candidate = Candidate(
        "k",
        lambda index: order.append(f"call {index}"),
        lambda index: order.append(f"poison {index}"),
    )
    stopwatch.measure(Batch(candidate, (3, 4, 3)))
    assert order == ["poison 3", "poison 4", "call 3", "call 4", "call 3"]


@pytest.mark.parametrize(("hot", "expected_us"), [(False, 50.0), (True, 20.0)])
def test_hot_calls_find_what_a_call_before_them_left(
    library: FakeLibrary, hot: bool, expected_us: float
) -> None:
    """A call after a copy of the load takes 50 us, one after another call 10."""
    seen = {"copies": -1}

    def call(index: int) -> None:
        library.work(10.0 if seen["copies"] == library.copies else 40.0)
        seen["copies"] = library.copies

    stopwatch = DeviceStopwatch(library, 0, 0, l2_bytes=0, hot=hot)
    assert stopwatch.measure(Batch(Candidate("k", call), (0, 0))).us == pytest.approx(expected_us)
    stopwatch.free()


def test_the_clock_is_read_while_the_device_works(library: FakeLibrary) -> None:
    moments: list[bool] = []

    def read() -> object:
        moments.append(library.device_us > library.host_us)
        return FULL

    stopwatch = DeviceStopwatch(library, 0, 0, l2_bytes=0, read_clock=read)  # type: ignore[arg-type]
    assert stopwatch.measure(batch(library, 700.0, 1)).clock == FULL
    assert moments == [True]
    stopwatch.free()


def test_the_loop_and_the_stopwatch_fit(library: FakeLibrary, stopwatch: DeviceStopwatch) -> None:
    kernel, copy = Candidate("k", library.call(80.0)), Candidate("copy", library.call(COPY_US))
    waiting = Candidate("waits", lambda index: library.stream_synchronize(0))
    found = sample(stopwatch, kernel, [copy, waiting], 8, clock=library.perf_counter)
    assert found.kernel.summary.median == pytest.approx(80.0)
    assert found.beside["copy"].summary.median == pytest.approx(COPY_US)
    assert [found.kernel.method, found.beside["waits"].method] == ["graph", "events"]
    assert "waits cannot be captured" in found.notes[0]
