"""test_sampling: which samples are taken, in which order, and when they are enough."""

from __future__ import annotations

import math

import pytest

from camp.bench.clocks import Clock
from camp.bench.protocol import (
    MAX_CALLS,
    Sampling,
    sample,
    warm_up,
    windows,
)
from camp.bench.statistics import is_stable
from tests.bench_protocol.fake_device import FULL, FakeDevice, candidate, failing


def run(device: FakeDevice, *names: str, sets: int = 4, limit_s: float = 2.0) -> Sampling:
    first, *beside = [candidate(name) for name in names]
    return sample(device, first, beside, sets, time_limit_s=limit_s, clock=device.clock)


# ---- what one sample holds ----


def test_short_calls_walk_through_all_sets_equally_often() -> None:
    assert windows(100.0, 4) == [(0, 1, 2, 3) * 4]  # 15 calls make 1.5 ms; 16 are whole passes
    assert windows(3.0, 64) == [tuple(range(64)) * 8]  # 500 calls
    assert windows(0.0, 3) == [(0, 1, 2) * (MAX_CALLS // 3)]


def test_many_sets_are_shared_by_several_windows() -> None:
    found = windows(10.0, 400)  # 150 calls a sample
    assert [window[0] for window in found] == [0, 150, 300]
    assert {len(window) for window in found} == {150}
    assert set().union(*found) == set(range(400))


def test_no_set_comes_again_before_all_others_were_used() -> None:
    for estimate, sets in ((3.0, 64), (100.0, 4), (10.0, 150), (149.0, 11)):
        [window] = windows(estimate, sets)
        walked = window * 2
        for position in range(len(window)):
            assert len(set(walked[position : position + sets])) == sets


# ---- warm-up ----


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


def test_a_device_that_reports_no_time_comes_to_an_end() -> None:
    found = run(FakeDevice({"k": 0.0}), "k", limit_s=0.0)
    assert found.kernel.samples_us == [0.0] * 31


# ---- graph or events ----


def test_short_calls_are_replayed_from_one_graph_a_window() -> None:
    device = FakeDevice({"k": 3.0})
    found = run(device, "k", sets=64)
    assert (found.kernel.method, found.kernel.calls_per_sample) == ("graph", 512)
    assert len(device.captured) == 1
    assert {batch.graph for batch in device.log[-31:]} == {1}
    assert found.kernel.summary.median == pytest.approx(3.0)
    assert found.notes == ()


def test_a_long_call_is_a_sample_between_two_events() -> None:
    device = FakeDevice({"k": 150.0, "peer": 400.0})
    found = run(device, "k", "peer")
    for samples in (found.kernel, found.beside["peer"]):
        assert (samples.method, samples.calls_per_sample) == ("events", 1)
    assert device.captured == []
    assert found.beside["peer"].summary.median == pytest.approx(400.0)


def test_candidates_are_timed_one_way_where_one_of_them_is_short() -> None:
    """151 us between events and 149 in a graph would not be comparable to a microsecond."""
    device = FakeDevice({"k": 151.0, "peer": 149.0, "slow": 1600.0})
    found = run(device, "k", "peer", "slow")
    assert (found.kernel.method, found.kernel.calls_per_sample) == ("graph", 12)
    assert (found.beside["peer"].method, found.beside["peer"].calls_per_sample) == ("graph", 12)
    assert (found.beside["slow"].method, found.beside["slow"].calls_per_sample) == ("events", 1)


def test_windows_that_share_the_sets_are_captured_once_and_take_turns() -> None:
    device = FakeDevice({"k": 10.0})
    found = run(device, "k", sets=400)
    assert len(device.captured) == 3
    assert [batch.graph for batch in device.log[-31:]] == [1 + n % 3 for n in range(31)]
    assert found.kernel.last_sets == device.log[-1].sets


def test_what_cannot_be_captured_is_timed_by_events_with_a_word() -> None:
    device = FakeDevice({"k": 3.0, "peer": 3.0})
    device.not_capturable = {"peer"}
    found = run(device, "k", "peer")
    assert (found.kernel.method, found.beside["peer"].method) == ("graph", "events")
    [note] = found.notes
    assert note.startswith(
        "peer cannot be captured in a graph (operation not permitted when stream is capturing)"
    )
    assert all(batch.graph == 0 for batch in device.log if batch.candidate.name == "peer")


# ---- when to stop ----


def test_a_steady_device_stops_at_31_samples() -> None:
    found = run(FakeDevice({"k": 400.0}), "k").kernel
    assert (len(found.samples_us), found.stop, found.drift) == (31, "stable", 0.0)


def test_a_noisy_device_stops_at_the_time_limit_and_says_so() -> None:
    device = FakeDevice({"k": 400.0}, noise=(0.0, 0.1, 0.2))
    found = run(device, "k", limit_s=0.1).kernel
    assert found.stop == "time limit"
    assert len(found.samples_us) > 100


def test_31_samples_are_taken_even_past_the_time_limit() -> None:
    found = run(FakeDevice({"k": 1e6}, noise=(0.0, 0.5)), "k", sets=1, limit_s=0.5)
    assert len(found.kernel.samples_us) == 31


def test_a_few_wild_samples_delay_nothing() -> None:
    noise = [0.0] * 31
    noise[5] = noise[17] = 9.0
    found = run(FakeDevice({"k": 400.0}, noise=noise), "k").kernel
    assert (found.stop, found.summary.median) == ("stable", pytest.approx(400.0))


def test_one_unsteady_candidate_keeps_all_others_in_the_race() -> None:
    device = FakeDevice({"k": 400.0, "peer": 400.0}, noise=(0.0, 0.0, 0.0, 0.3))
    found = run(device, "k", "peer", limit_s=0.2)
    assert len(found.kernel.samples_us) == len(found.beside["peer"].samples_us) > 31


# ---- drift ----


def warming(now: float) -> float:
    """1.5 % slower over the first 15 ms after the warm-up, then steady. A sample takes 0.4 ms, so
    the first 31 have an interquartile range of 0.6 %: less than the 1 % that steady ones may."""
    begun = 0.026
    return 400.0 * (1.0 + 0.015 * min(max(now - begun, 0.0) / 0.015, 1.0))


def test_samples_of_a_warming_device_pass_for_steady_but_are_dropped() -> None:
    device = FakeDevice({"k": warming})
    found = run(device, "k").kernel
    assert (found.stop, found.drift) == ("stable", 0.0)
    assert found.summary.median == pytest.approx(406.0, rel=0.002)
    assert found.summary.minimum > 402.0, "the first rounds do not count"
    assert is_stable([warming(0.026 + 400e-6 * number) for number in range(31)])


def test_a_device_that_warms_up_to_the_end_is_never_stable() -> None:
    device = FakeDevice({"k": lambda now: 400.0 * (1.0 + now)})
    found = run(device, "k", limit_s=0.2).kernel
    assert found.stop == "time limit"
    assert found.drift > 0.005
    assert len(found.samples_us) >= 31


def test_rounds_are_dropped_for_all_candidates_alike() -> None:
    device = FakeDevice({"k": 400.0, "peer": lambda now: warming(now / 2)})
    found = run(device, "k", "peer")
    assert len(found.kernel.samples_us) == len(found.beside["peer"].samples_us)
    assert len([batch for batch in device.log[-200:] if batch.candidate.name == "k"]) > len(
        found.kernel.samples_us
    )


# ---- throttling ----


def capped(now: float) -> Clock:
    return FULL if now > 0.05 else Clock(1980, 3201, 0x4)


def test_samples_of_a_throttling_device_are_replaced_by_others() -> None:
    found = run(FakeDevice({"k": 400.0}, clock_at=capped), "k").kernel
    assert 31 <= len(found.samples_us) < 45
    assert set(found.reasons) == {"software power cap"}
    assert found.stop == "stable"


def test_a_device_at_full_clock_loses_no_sample() -> None:
    assert run(FakeDevice({"k": 400.0}), "k").kernel.reasons == {}


def test_slow_samples_taken_before_the_clock_rose_do_not_count() -> None:
    """Which samples were slow is only known once the highest clock was seen."""
    device = FakeDevice(
        {"k": lambda now: 400.0 if now > 0.035 else 800.0},
        clock_at=lambda now: FULL if now > 0.035 else Clock(990, 3201, 0),
    )
    found = run(device, "k").kernel
    assert found.reasons == {"low clock": pytest.approx(12, abs=3)}
    assert found.summary.p90 == pytest.approx(400.0)


def test_a_device_that_always_throttles_leaves_no_sample_and_ends() -> None:
    device = FakeDevice({"k": 400.0}, clock_at=lambda now: Clock(1980, 3201, 0x40))
    found = run(device, "k", limit_s=0.1).kernel
    assert found.samples_us == []
    assert sum(found.reasons.values()) >= 31


def test_without_clocks_every_sample_counts() -> None:
    found = run(FakeDevice({"k": 400.0}, clock_at=lambda now: None), "k")
    assert (len(found.kernel.samples_us), found.maximum_mhz) == (31, 0)


def test_the_highest_clock_is_kept_for_the_next_case() -> None:
    device = FakeDevice({"k": 400.0}, clock_at=lambda now: Clock(1000, 3201, 0))
    assert run(device, "k").maximum_mhz == 1000
    slow = sample(
        device, candidate("k"), [], 4, time_limit_s=0.0, maximum_mhz=1980, clock=device.clock
    )
    assert slow.kernel.reasons == {"low clock": 31}


# ---- turns, and candidates that fail ----


def test_candidates_are_interleaved_and_take_turns_going_first() -> None:
    device = FakeDevice({"a": 400.0, "b": 400.0})
    run(device, "a", "b")
    rounds = [batch.candidate.name for batch in device.log[-8:]]
    assert sorted(rounds[:2]) == sorted(rounds[2:4]) == ["a", "b"]
    assert rounds[0] != rounds[2]


def test_samples_walk_through_all_sets_in_turn() -> None:
    device = FakeDevice({"a": 700.0})
    run(device, "a", sets=7)
    walked = [index for batch in device.log[-31:] for index in batch.sets]
    assert walked == [number % 7 for number in range(31)]


@pytest.mark.parametrize("after", [0, 80], ids=["at once", "while it is sampled"])
def test_a_peer_that_raises_is_left_out_with_a_word(after: int) -> None:
    device = FakeDevice({"k": 400.0, "bad": 400.0, "good": 400.0})
    found = sample(
        device, candidate("k"), [failing("bad", after), candidate("good")], 4, clock=device.clock
    )
    assert list(found.beside) == ["good"]
    assert found.notes == ("bad is left out: it raised ValueError: no such algorithm",)
    assert len(found.kernel.samples_us) == len(found.beside["good"].samples_us) == 31


@pytest.mark.parametrize("after", [0, 80])
def test_what_the_kernel_raises_is_not_hidden(after: int) -> None:
    device = FakeDevice({"k": 400.0, "peer": 400.0})
    with pytest.raises(ValueError, match="no such algorithm"):
        sample(device, failing("k", after), [candidate("peer")], 4, clock=device.clock)


def test_the_median_does_not_depend_on_the_way_of_timing() -> None:
    device = FakeDevice({"k": 20.0, "peer": 20.0})
    device.not_capturable = {"peer"}
    found = run(device, "k", "peer", sets=25)
    assert math.isclose(found.kernel.summary.median, found.beside["peer"].summary.median)
