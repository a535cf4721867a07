"""test_bench_report: which medal a run earns, from results made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from camp.bench.report import earned
from camp.bench.results import BenchResult, CaseResult, Outcome
from camp.counters.counts import Access, Counts, Place
from camp.counters.model import Counters, KernelCounters, TensorBytes
from camp.spec import load_spec

from .made_results import ROOT, result

COPY = load_spec(ROOT, "copy")
NAMES = [case.case.name for case in result("copy", {}).cases]


def changed(name: str, **changes: object) -> BenchResult:
    """Everything at 99 % of its ceiling, one case changed."""
    made = result("copy", {}, otherwise=99.0)
    return replace(
        made,
        cases=tuple(
            replace(case, **changes) if case.case.name == name else case  # type: ignore[arg-type]
            for case in made.cases
        ),
    )


def test_the_worst_medal_case_decides() -> None:
    assert earned(result("copy", {}, otherwise=99.0), COPY, NAMES).medal == "gold"
    one_is_slow = earned(result("copy", {"2^28 bf16": 85.0}, otherwise=99.0), COPY, NAMES)
    assert (one_is_slow.medal, one_is_slow.case) == ("silver", "2^28 bf16")
    # 2^20 is no medal case: it measures launches more than memory.
    assert earned(result("copy", {"2^20 f32": 60.0}, otherwise=99.0), COPY, NAMES).medal == "gold"


@pytest.mark.parametrize("outcome", [Outcome.TOO_NOISY, Outcome.INVALID_TIME, Outcome.THROTTLED])
def test_a_medal_case_without_a_measurement_leaves_no_medal(outcome: Outcome) -> None:
    found = earned(changed("2^24 f32", outcome=outcome), COPY, NAMES)
    assert (found.medal, found.judged) == (None, False)
    assert "2^24 f32" in found.why_not
    assert earned(changed("2^20 f32", outcome=outcome), COPY, NAMES).medal == "gold"


def test_a_wrong_output_anywhere_leaves_no_medal() -> None:
    found = earned(changed("2^20 f32", outcome=Outcome.WRONG), COPY, NAMES)
    assert not found.judged
    assert "2^20 f32" in found.why_not


def test_a_case_without_room_does_not_count() -> None:
    skipped = changed("2^28 f32", outcome=Outcome.SKIPPED, kernel=None)
    assert earned(skipped, COPY, NAMES).medal == "gold"


def test_hot_buffers_earn_nothing() -> None:
    made = result("copy", {}, otherwise=99.0)
    hot = replace(made, cases=tuple(replace(case, hot=True) for case in made.cases))
    assert "hot" in earned(hot, COPY, NAMES).why_not


def counted(name: str, sectors: int, outcome: Outcome = Outcome.OK) -> CaseResult:
    """A call that has to move 3200 bytes, 100 sectors, and moves `sectors` of them."""
    access = Access("global_load", Place(), Counts(requests=1, sectors=sectors, ideal_sectors=100))
    tensors = (TensorBytes("x", "input", 1600), TensorBytes("y", "output", 1600))
    counters = Counters(
        name, tensors, (KernelCounters("k", (1, 1, 1), (32, 1, 1), 1, 0, 0, (access,)),)
    )
    case = replace(result("copy", {}).cases[0].case, name=name)
    return CaseResult(case, outcome, counters=counters)


def on_sim(*cases: CaseResult) -> BenchResult:
    return BenchResult("copy", "sim", 7, {"name": "sim"}, {}, cases)


def test_the_traffic_medal_is_of_bytes_in_every_case() -> None:
    found = earned(on_sim(counted("a", 100), counted("b", 150)), COPY, ["a", "b"])
    assert (found.kind, found.medal, found.case) == ("traffic", "silver", "b")
    assert found.percent == pytest.approx(66.667, abs=0.001)
    gold = earned(on_sim(counted("a", 100), counted("b", 105)), COPY, ["a", "b"])
    assert (gold.medal, gold.case) == ("gold", "b")


def test_traffic_of_some_cases_or_of_a_wrong_output_earns_nothing() -> None:
    assert not earned(on_sim(counted("a", 100)), COPY, ["a", "b"]).judged
    wrong = on_sim(counted("a", 100), counted("b", 100, Outcome.WRONG))
    assert "b" in earned(wrong, COPY, ["a", "b"]).why_not
