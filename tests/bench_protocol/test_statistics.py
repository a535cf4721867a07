"""test_statistics: order statistics against answers worked out by hand."""

from __future__ import annotations

import pytest

from camp.bench.plan import buffer_sets, impossible, peak_bytes_per_second
from camp.bench.statistics import (
    Summary,
    faster,
    gigabytes_per_second,
    is_stable,
    percentile,
    summarize,
)

GIB = 1 << 30
MIB = 1 << 20


@pytest.mark.parametrize(
    ("fraction", "expected"),
    [(0.0, 10.0), (0.25, 20.0), (0.5, 30.0), (0.1, 14.0), (0.9, 46.0), (1.0, 50.0)],
)
def test_percentiles_of_five_values(fraction: float, expected: float) -> None:
    assert percentile([10.0, 20.0, 30.0, 40.0, 50.0], fraction) == pytest.approx(expected)


def test_percentile_of_an_even_count_lies_between_neighbours() -> None:
    assert percentile([1.0, 2.0, 3.0, 10.0], 0.5) == 2.5
    assert percentile([7.0], 0.9) == 7.0


def test_percentile_refuses_what_has_no_answer() -> None:
    with pytest.raises(ValueError, match="no samples"):
        percentile([], 0.5)
    with pytest.raises(ValueError, match="fraction"):
        percentile([1.0], 1.5)


def test_summary_does_not_depend_on_order() -> None:
    summary = summarize([50.0, 10.0, 40.0, 20.0, 30.0])
    assert (summary.n, summary.median, summary.minimum) == (5, 30.0, 10.0)
    assert (summary.p10, summary.p90, summary.iqr) == pytest.approx((14.0, 46.0, 20.0))
    assert summary.spread == pytest.approx(2.0 / 3.0)


def test_one_wild_sample_does_not_move_the_median() -> None:
    assert summarize([10.0] * 30 + [1e6]).median == 10.0


def test_stable_needs_31_samples_and_a_spread_under_one_percent() -> None:
    assert not is_stable([10.0] * 30)
    assert is_stable([10.0] * 31)
    half = [10.0] * 20 + [10.11] * 20
    assert not is_stable(half)
    assert is_stable([10.0] * 20 + [10.09] * 20)


def test_a_win_needs_separate_intervals() -> None:
    def around(median: float, half: float) -> Summary:
        return Summary(31, median, median - half, median + half, median - half, half)

    assert faster(around(10.0, 0.4), around(11.0, 0.4))
    assert not faster(around(10.0, 0.6), around(11.0, 0.6))
    assert not faster(around(11.0, 0.4), around(10.0, 0.4))


def test_throughput_is_in_decimal_gigabytes() -> None:
    # 2 * 2^28 floats in 502.7 us are 4272 GB/s.
    assert gigabytes_per_second(2 * 4 * 2**28, 502.7) == pytest.approx(4272, abs=1)
    with pytest.raises(ValueError, match="no time"):
        gigabytes_per_second(1, 0.0)


def test_buffer_sets_exceed_the_cache_and_half_a_gigabyte() -> None:
    assert buffer_sets(8 * MIB, 50 * MIB, 100 * GIB) == 64  # 512 MiB decides
    assert buffer_sets(8 * MIB, 126 * MIB, 100 * GIB) == 126  # 8 x L2 decides
    assert buffer_sets(MIB, 0, 100 * GIB) == 512
    assert buffer_sets(3, 0, 100 * GIB) == 4096  # more than a sample has calls
    assert buffer_sets(2 * GIB, 50 * MIB, 100 * GIB) == 4  # never fewer than four


def test_buffer_sets_that_do_not_fit_are_none() -> None:
    assert buffer_sets(2 * GIB, 50 * MIB, 8 * GIB) == 0
    assert buffer_sets(2 * GIB, 50 * MIB, 10 * GIB) == 4
    assert buffer_sets(2 * GIB, 50 * MIB, 10 * GIB, copies=2) == 0
    with pytest.raises(ValueError, match="at least one byte"):
        buffer_sets(0, 0, 1)


def test_peak_bandwidth_of_known_memories() -> None:
    # A 384-bit bus at 10501 MHz double data rate is 1008 GB/s.
    assert peak_bytes_per_second(10_501_000, 384) == pytest.approx(1008e9, rel=1e-3)
    assert peak_bytes_per_second(0, 384) is None
    assert peak_bytes_per_second(1000, 0) is None


def test_a_time_that_physics_forbids_is_named() -> None:
    peak = 1e12
    assert impossible(10**9, 900.0, peak)  # 1 GB needs 1000 us at 1 TB/s
    assert not impossible(10**9, 951.0, peak)
    assert not impossible(10**9, 1.0, None)
