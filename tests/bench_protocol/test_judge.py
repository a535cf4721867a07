"""test_judge: each verdict and each remark, beside a twin at which it stays silent."""

from __future__ import annotations

from typing import Any

import pytest

from camp.bench.cases import BenchCase
from camp.bench.measure import timed_case
from camp.bench.results import CaseResult, HostCost, Outcome

# 8 MB at the 4 TB/s of this device take 2 us.
CASE = BenchCase("c", "f32", {"y": (1_000_000,), "x": (1_000_000,)})
DEVICE = {"memory_clock_khz": 2_000_000, "memory_bus_width_bits": 8000}


def sampled(*samples: float, **changes: Any) -> dict[str, Any]:
    found = {
        "calls_per_sample": 100,
        "method": "graph",
        "stop": "stable",
        "samples_us": list(samples),
        "reasons": {},
        "drift": 0.0,
    }
    return {**found, **changes}


def result(
    kernel: dict[str, Any], *, device: dict[str, int] = DEVICE, hot: bool = False, **changes: Any
) -> CaseResult:
    answer = {
        "sets": 64,
        "starved": 0,
        "verifiable": [0],
        "ceiling_kind": "copy",
        "kernel": kernel,
        "ceilings": {"copy": sampled(*[2.1] * 31)},
        "peers": {"torch": sampled(*[2.4] * 31)},
        "clocks_known": True,
        "host": None,
        "notes": [],
    }
    return timed_case(CASE, {**answer, **changes}, device, hot=hot)


GOOD = sampled(*[2.2] * 31)


def test_a_good_measurement_needs_no_word() -> None:
    found = result(GOOD, host={"kernel_us": 4.0, "floor_us": 3.8, "torch_us": None})
    assert (found.outcome, found.message, found.notes) == (Outcome.OK, "", ())
    assert found.kernel is not None
    assert (found.kernel.method, found.kernel.calls_per_sample) == ("graph", 100)
    assert found.percent_of_ceiling == pytest.approx(100 * 2.1 / 2.2)
    assert found.datasheet_gbps == pytest.approx(4000.0)
    assert found.host == HostCost(4.0, 3.8)


def test_no_sample_left_is_throttled() -> None:
    reasons = {"software power cap": 30, "low clock": 4}
    found = result(sampled(reasons=reasons))
    assert (found.outcome, found.kernel) == (Outcome.THROTTLED, None)
    assert "all 34 samples" in found.message
    assert "software power cap, low clock" in found.message
    assert found.to_json()["outcome"] == "THROTTLED"


def test_samples_left_out_are_a_note_and_the_rest_counts() -> None:
    found = result(sampled(*[2.2] * 31, reasons={"low clock": 3}))
    assert (found.outcome, found.kernel and found.kernel.discarded) == (Outcome.OK, 3)
    assert found.notes == (
        "the kernel: 3 samples were left out because the device throttled (low clock)",
    )


@pytest.mark.parametrize(("us", "outcome"), [(1.89, Outcome.INVALID_TIME), (1.91, Outcome.OK)])
def test_a_time_that_physics_forbids_is_invalid(us: float, outcome: Outcome) -> None:
    ceilings = {"copy": sampled(*[1.91] * 31)}
    found = result(sampled(*[us] * 31), ceilings=ceilings)
    assert found.outcome is outcome
    assert ("not all of the work was done" in found.message) == (outcome is not Outcome.OK)


def test_no_time_at_all_is_invalid_even_where_the_peak_is_unknown() -> None:
    unknown = {"memory_clock_khz": 0, "memory_bus_width_bits": 0}
    found = result(sampled(*[0.0] * 31), device=unknown)
    assert found.outcome is Outcome.INVALID_TIME
    assert found.to_json()["gigabytes_per_second"] is None
    assert "the driver names no memory clock" in found.notes[0]


@pytest.mark.parametrize(
    ("ceiling", "outcome"),
    [
        ([2.30] * 31, Outcome.INVALID_CEILING),  # 104.5 %
        ([2.24] * 31, Outcome.OK),  # 101.8 %
        ([2.2] * 5 + [2.4] * 26, Outcome.OK),  # 109 %, but its interval reaches down to 2.2
    ],
)
def test_far_above_its_own_ceiling_is_a_fault_of_the_harness(
    ceiling: list[float], outcome: Outcome
) -> None:
    found = result(GOOD, ceilings={"copy": sampled(*ceiling)})
    assert found.outcome is outcome
    if outcome is Outcome.INVALID_CEILING:
        assert found.message.startswith("105 % of the ceiling 'copy'")


def test_only_the_ceiling_of_its_own_kind_binds() -> None:
    ceilings = {"copy": sampled(*[2.4] * 31), "read": sampled(*[2.2] * 31)}
    assert result(GOOD, ceilings=ceilings).outcome is Outcome.INVALID_CEILING
    assert result(GOOD, ceilings=ceilings, ceiling_kind="read").outcome is Outcome.OK


def test_hot_buffers_are_not_held_against_memory() -> None:
    found = result(sampled(*[0.5] * 31), hot=True)
    assert (found.outcome, found.notes) == (Outcome.OK, ())
    assert result(sampled(*[0.5] * 31)).outcome is Outcome.INVALID_TIME


def test_a_wide_middle_half_is_too_noisy() -> None:
    wide, narrow = [2.2, 2.4, 2.8] * 11, [2.2, 2.4, 2.6] * 11  # 25 % and 17 % of 2.4
    assert result(sampled(*wide)).outcome is Outcome.TOO_NOISY
    assert "spreads over 25% of the median" in result(sampled(*wide)).message
    assert result(sampled(*narrow)).outcome is Outcome.OK


def test_two_modes_are_told_with_both_values() -> None:
    two = sampled(*[2.2] * 24, *[2.6] * 8)
    found = result(two)
    assert found.notes == (
        "the kernel has two times and no single one: 2.20 us (75% of the samples) and "
        "2.60 us (25%)",
    )
    assert [mode["us"] for mode in found.to_json()["kernel_us"]["modes"]] == [2.2, 2.6]
    assert result(sampled(*[2.2] * 31, 2.6)).notes == ()


def test_a_drift_to_the_end_is_told() -> None:
    assert result(sampled(*[2.2] * 31, drift=0.021)).notes == (
        "the kernel: the times still moved by +2.1% when sampling ended",
    )


def test_a_peer_above_the_ceiling_makes_shares_doubtful() -> None:
    fast = {"CUB": sampled(*[2.0] * 31)}
    assert "CUB is faster than the ceiling 'copy'" in result(GOOD, peers=fast).notes[0]
    assert result(GOOD, peers={"CUB": sampled(*[2.08] * 31)}).notes == ()


@pytest.mark.parametrize("us", [0.0, 1.0])
def test_a_peer_whose_time_cannot_be_is_left_out(us: float) -> None:
    peers = {"CuPy": sampled(*[us] * 31), "torch": sampled(*[2.4] * 31)}
    found = result(GOOD, peers=peers)
    assert list(found.peers) == ["torch"]
    assert any(note.startswith("CuPy is left out") for note in found.notes)


def test_a_peer_without_a_sample_is_no_peer() -> None:
    found = result(GOOD, peers={"torch": sampled(reasons={"low clock": 31})})
    assert found.peers == {}
    assert found.outcome is Outcome.OK


def test_a_starved_stream_and_unknown_clocks_are_told() -> None:
    found = result(GOOD, starved=2, clocks_known=False, notes=["CuPy is left out: it is old"])
    assert found.notes == (
        "CuPy is left out: it is old",
        "the driver told no clocks: throttled samples were not left out",
        "samples in which the device waited for the host: 2",
    )
