"""test_results: what a case's times say, worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from camp.bench.cases import BenchCase
from camp.bench.modes import Mode
from camp.bench.results import CaseResult, HostCost, Outcome, Timed
from camp.bench.statistics import summarize

# 8 MB in all: 2 million elements of 4 bytes, moved in 2 us at 4000 GB/s.
CASE = BenchCase("c", "f32", {"y": (1_000_000,), "x": (1_000_000,)})


def timed(*samples: float) -> Timed:
    return Timed(summarize(samples), 100, "stable", "graph")


def result(**changes: object) -> CaseResult:
    known = CaseResult(
        CASE,
        Outcome.OK,
        sets=64,
        kernel=timed(2.0),
        ceilings={"copy": timed(1.9), "read": timed(1.0)},
        peers={"torch": timed(2.2), "cub": timed(2.1)},
        datasheet_gbps=4800.0,
    )
    return replace(known, **changes)  # type: ignore[arg-type]


def test_shares_are_of_the_own_ceiling_of_another_and_of_the_datasheet() -> None:
    case = result()
    assert case.gbps == pytest.approx(4000.0)
    assert case.percent_of_ceiling == pytest.approx(95.0)
    assert case.percent_of("read") == pytest.approx(50.0)
    assert case.percent_of("write") is None
    assert case.percent_of_datasheet == pytest.approx(83.333, abs=0.001)
    assert result(ceiling_kind="read").percent_of_ceiling == pytest.approx(50.0)
    assert result(datasheet_gbps=None).percent_of_datasheet is None


def test_the_best_peer_is_the_fastest_and_above_one_is_ahead() -> None:
    case = result()
    assert case.best_peer == "cub"
    assert case.times_best_peer == pytest.approx(1.05)
    assert result(kernel=timed(4.2)).times_best_peer == pytest.approx(0.5)
    assert result(peers={}).best_peer is result(peers={}).times_best_peer is None


def test_a_peer_is_beaten_only_where_intervals_are_apart() -> None:
    case = result(kernel=timed(1.9, 2.0, 2.1), peers={"torch": timed(2.035, 2.2, 2.3)})
    assert case.versus("torch") == "even"  # p90 is 2.08 us, the peer's p10 2.068
    ahead = result(kernel=timed(1.9, 2.0, 2.05), peers={"torch": timed(2.1, 2.2, 2.3)})
    assert ahead.versus("torch") == "faster"
    behind = result(kernel=timed(2.4, 2.5, 2.6), peers={"torch": timed(2.1, 2.2, 2.3)})
    assert behind.versus("torch") == "slower"


def test_hot_buffers_have_no_throughput_of_the_memory() -> None:
    hot = result(hot=True)
    assert hot.gbps is hot.percent_of_datasheet is None
    document = hot.to_json()
    assert "gigabytes_per_second" not in document
    assert document["hot_gigabytes_per_second"] == pytest.approx(4000.0)
    assert result().to_json()["gigabytes_per_second"] == pytest.approx(4000.0)


def test_a_time_of_zero_is_no_throughput() -> None:
    case = result(kernel=timed(0.0))
    assert case.gbps is case.percent_of_ceiling is case.times_best_peer is None


def test_json_holds_how_each_candidate_was_timed() -> None:
    kernel = replace(timed(2.0), discarded=3, modes=(Mode(2.0, 0.75), Mode(3.0, 0.25)))
    document = json.loads(json.dumps(result(kernel=kernel, host=HostCost(4.0, 3.8)).to_json()))
    assert document["kernel_us"] == {
        "median": 2.0,
        "p10": 2.0,
        "p90": 2.0,
        "minimum": 2.0,
        "samples": 1,
        "calls_per_sample": 100,
        "method": "graph",
        "stopped_by": "stable",
        "discarded": 3,
        "modes": [{"us": 2.0, "share": 0.75}, {"us": 3.0, "share": 0.25}],
    }
    assert set(document["ceilings_us"]) == {"copy", "read"}
    assert document["versus"] == {"torch": "faster", "cub": "faster"}
    assert document["host_us"] == {"kernel": 4.0, "floor": 3.8, "torch": None}
    assert result().to_json()["host_us"] is None
