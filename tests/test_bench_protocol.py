"""test_bench_protocol: the sampling loop on a device that is a few lines of arithmetic."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from camp.bench.protocol import (
    MAX_CALLS,
    Candidate,
    calls_per_sample,
    sample,
    warm_up,
)


class FakeDevice:
    """Knows the time of every call in advance and keeps a log. Advancing it advances `now`."""

    def __init__(self, call_us: dict[str, float], noise: Sequence[float] = (0.0,)) -> None:
        self.call_us = call_us
        self.noise = itertools.cycle(noise)
        self.now = 0.0
        self.log: list[tuple[str, list[int]]] = []

    def measure(self, candidate: Candidate, sets: Sequence[int]) -> float:
        self.log.append((candidate.name, list(sets)))
        for index in sets:
            candidate.call(index)
        elapsed = self.call_us[candidate.name] * len(sets) * (1.0 + next(self.noise))
        self.now += elapsed * 1e-6
        return elapsed

    def clock(self) -> float:
        return self.now


def candidate(name: str, called: list[int] | None = None) -> Candidate:
    return Candidate(name, (called if called is not None else []).append)


def test_long_calls_are_timed_one_by_one_and_short_ones_together() -> None:
    assert calls_per_sample(500.0) == 1
    assert calls_per_sample(150.0) == 1
    assert calls_per_sample(100.0) == 15
    assert calls_per_sample(0.5) == MAX_CALLS
    assert calls_per_sample(0.0) == MAX_CALLS


def test_warm_up_lasts_25_ms_and_touches_every_set() -> None:
    device = FakeDevice({"a": 100.0})
    called: list[int] = []
    assert warm_up(device, candidate("a", called), 7) == pytest.approx(100.0)
    assert device.now >= 0.025
    assert set(called) == set(range(7))


def test_warm_up_passes_over_many_sets_even_when_time_is_up() -> None:
    device = FakeDevice({"a": 30_000.0})
    called: list[int] = []
    warm_up(device, candidate("a", called), 12)
    assert set(called) == set(range(12))


def test_warm_up_ends_on_a_device_that_reports_no_time() -> None:
    warm_up(FakeDevice({"a": 0.0}), candidate("a"), 3)


def test_samples_are_microseconds_of_one_call() -> None:
    found = sample(FakeDevice({"a": 20.0, "b": 400.0}), [candidate("a"), candidate("b")], 5)
    assert found["a"].summary.median == pytest.approx(20.0)
    assert found["b"].summary.median == pytest.approx(400.0)
    assert (found["a"].calls_per_sample, found["b"].calls_per_sample) == (75, 1)


def test_a_steady_device_stops_at_31_samples() -> None:
    device = FakeDevice({"a": 400.0})
    found = sample(device, [candidate("a")], 4, clock=device.clock)
    assert (len(found["a"].samples_us), found["a"].stop) == (31, "stable")


def test_a_noisy_device_stops_at_the_time_limit_and_says_so() -> None:
    device = FakeDevice({"a": 400.0}, noise=(0.0, 0.1, 0.2))
    found = sample(device, [candidate("a")], 4, time_limit_s=0.1, clock=device.clock)
    assert found["a"].stop == "time limit"
    assert len(found["a"].samples_us) > 100


def test_31_samples_are_taken_even_past_the_time_limit() -> None:
    device = FakeDevice({"a": 1e6}, noise=(0.0, 0.5))
    found = sample(device, [candidate("a")], 1, time_limit_s=0.5, clock=device.clock)
    assert len(found["a"].samples_us) == 31


def test_candidates_are_interleaved_and_take_turns_going_first() -> None:
    device = FakeDevice({"a": 400.0, "b": 400.0})
    sample(device, [candidate("a"), candidate("b")], 4)
    rounds = [name for name, _ in device.log[-8:]]
    assert sorted(rounds[:2]) == sorted(rounds[2:4]) == ["a", "b"]
    assert rounds[0] != rounds[2]


def test_samples_walk_through_all_sets_in_turn() -> None:
    device = FakeDevice({"a": 100.0})
    sample(device, [candidate("a")], 7)
    walked = [index for _, sets in device.log[-31:] for index in sets]
    assert walked == [(walked[0] + offset) % 7 for offset in range(31 * 15)]


def test_the_last_set_used_is_known() -> None:
    device = FakeDevice({"a": 400.0})
    assert sample(device, [candidate("a")], 4)["a"].last_set == device.log[-1][1][-1]


def test_every_round_is_reported() -> None:
    seen: list[int] = []
    sample(FakeDevice({"a": 400.0}), [candidate("a")], 2, on_round=seen.append)
    assert seen == list(range(1, 32))
