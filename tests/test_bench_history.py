"""test_bench_history: what is kept of a run, and what became of it since the last one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from camp.bench.history import by_case, changes, compare, rows
from camp.bench.results import Outcome
from camp.progress import Benchmark

from .made_results import result

ROW = Benchmark(
    *("copy", "nvidia", "2^24 f32", "2026-01-01T00:00:00+00:00", "h", "GPU"),
    *(10.0, 9.9, 10.1, 31, 1 << 27, 90.0),
)


def taking(p10: float, median: float, p90: float, **more: object) -> Benchmark:
    return replace(ROW, median_us=median, p10_us=p10, p90_us=p90, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        (taking(9.0, 9.5, 9.89), "faster"),
        (taking(9.0, 9.5, 9.9), "no change"),  # the intervals touch
        (taking(9.9, 10.0, 10.1), "no change"),
        (taking(10.1, 10.5, 11.0), "no change"),
        (taking(10.11, 10.5, 11.0), "slower"),
        (taking(5.0, 7.0, 12.0), "no change"),  # a better median of noise
    ],
)
def test_only_intervals_that_do_not_touch_are_a_change(now: Benchmark, verdict: str) -> None:
    assert compare(ROW, now) == verdict


def test_a_measurement_is_held_against_the_last_of_its_like() -> None:
    stored = [
        taking(19.0, 20.0, 21.0),
        ROW,
        taking(1.0, 1.0, 1.0, device="another GPU"),
        taking(1.0, 1.0, 1.0, case_name="2^28 f32"),
        taking(1.0, 1.0, 1.0, operator="relu"),
        taking(1.0, 1.0, 1.0, backend="other"),
    ]
    found = changes(stored, [taking(11.0, 12.0, 13.0)])
    assert list(found) == ["2^24 f32"]
    change = found["2^24 f32"]
    assert (change.verdict, change.before.median_us, change.now.median_us) == ("slower", 10.0, 12.0)
    assert changes(stored[2:], [ROW]) == {}


def test_only_valid_cold_measurements_are_kept() -> None:
    made = result("copy", {"2^24 f32": 80.0})
    cases = [replace(case, outcome=Outcome.TOO_NOISY) for case in made.cases]
    cases[1] = made.cases[1]
    cases[2] = replace(made.cases[2], hot=True)
    cases[3] = replace(made.cases[3], kernel=None, outcome=Outcome.SKIPPED)
    kept = rows(replace(made, cases=tuple(cases)), made_at="t", kernel_hash="h", git_commit="c")
    assert [row.case_name for row in kept] == ["2^24 f32"]
    [row] = kept
    # 2^24 floats in and out at 80 % of 4000 GB/s.
    assert row.median_us == pytest.approx(2 * 4 * 2**24 / 3200e3)
    assert row.ceiling_percent == pytest.approx(80.0)
    assert (row.device, row.driver, row.git_commit) == ("Test GPU", "580.1", "c")
    assert (row.best_peer, row.times_best_peer) == ("cub", pytest.approx(1.25))
    assert (row.made_at, row.kernel_hash, row.ceiling_kind) == ("t", "h", "copy")


def test_history_is_told_case_by_case_in_the_order_of_the_last_run() -> None:
    stored = [
        replace(ROW, case_name="gone"),
        replace(ROW, case_name="b"),
        taking(8.0, 8.1, 8.2, case_name="a", made_at="later"),
        taking(8.0, 8.1, 8.2, case_name="b", made_at="later"),
    ]
    told = by_case(stored)
    assert list(told) == ["a", "b", "gone"]
    assert [change for _, change in told["b"]] == [None, "faster"]
    assert by_case([]) == {}
