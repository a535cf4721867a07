"""test_medals: medals worked out by hand, on both sides of every boundary."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.bench.cases import load_cases
from camp.medals import CONFLICT_LIMITS, MEDALS, TRAFFIC_TARGETS, Traffic, medal_of, next_target
from camp.medals import speed as speed_medal
from camp.medals import traffic as traffic_medal
from camp.spec import list_specs

ROOT = Path(__file__).resolve().parent.parent
TARGETS = {"bronze": 40.0, "silver": 70.0, "gold": 90.0}
CASES = ["small", "large"]


@pytest.mark.parametrize(
    ("percent", "medal"),
    [
        (0.0, None),
        (39.999, None),
        (40.0, "bronze"),
        (69.999, "bronze"),
        (70.0, "silver"),
        (89.999, "silver"),
        (90.0, "gold"),
        (101.5, "gold"),
    ],
)
def test_a_target_is_reached_from_its_value_on(percent: float, medal: str | None) -> None:
    assert medal_of(percent, TARGETS) == medal


def test_the_next_target_follows_the_medal() -> None:
    assert next_target(None, TARGETS) == ("bronze", 40.0)
    assert next_target("silver", TARGETS) == ("gold", 90.0)
    assert next_target("gold", TARGETS) is None
    assert next_target("bronze", {"bronze": 40.0, "gold": 90.0}) == ("gold", 90.0)


def test_the_worst_medal_case_counts_and_no_other() -> None:
    shares = {"small": 71.0, "large": 99.0, "lucky": 100.0, "odd": 5.0}
    earned = speed_medal(TARGETS, CASES, shares)
    assert (earned.medal, earned.percent, earned.case) == ("silver", 71.0, "small")
    earned = speed_medal(TARGETS, CASES, {"small": 90.0, "large": 92.0})
    assert (earned.medal, earned.case, earned.judged) == ("gold", "small", True)
    earned = speed_medal(TARGETS, CASES, {"small": 39.0, "large": 92.0})
    assert (earned.medal, earned.percent, earned.judged) == (None, 39.0, True)


def test_a_medal_case_that_is_missing_leaves_no_judgement() -> None:
    earned = speed_medal(TARGETS, CASES, {"large": 99.0})
    assert (earned.medal, earned.percent, earned.judged) == (None, None, False)
    assert "small" in earned.why_not
    assert "large" not in earned.why_not


def test_cases_without_room_on_the_device_do_not_count_but_one_must() -> None:
    earned = speed_medal(TARGETS, CASES, {"small": 91.0}, skipped=["large"])
    assert (earned.medal, earned.case) == ("gold", "small")
    assert not speed_medal(TARGETS, CASES, {}, skipped=CASES).judged


def test_without_targets_or_medal_cases_there_is_no_judgement() -> None:
    assert not speed_medal({}, CASES, {"small": 99.0, "large": 99.0}).judged
    assert not speed_medal(TARGETS, [], {"small": 99.0}).judged


@pytest.mark.parametrize(
    ("counted", "medal"),
    [
        (Traffic(1000, 1000), "gold"),
        (Traffic(950, 1000), "gold"),
        (Traffic(949, 1000), "silver"),
        (Traffic(650, 1000), "silver"),
        (Traffic(649, 1000), "bronze"),
        (Traffic(450, 1000), "bronze"),
        (Traffic(449, 1000), None),
        (Traffic(1000, 1000, wavefronts=1000, conflicts=10), "gold"),
        (Traffic(1000, 1000, wavefronts=1000, conflicts=11), "silver"),
        (Traffic(1000, 1000, wavefronts=1000, conflicts=200), "silver"),
        (Traffic(1000, 1000, wavefronts=1000, conflicts=201), "bronze"),
        (Traffic(0, 0), "gold"),
    ],
)
def test_traffic_medals_need_few_bytes_and_few_conflicts(
    counted: Traffic, medal: str | None
) -> None:
    assert traffic_medal({"c": counted}).medal == medal


def test_the_worst_case_decides_the_traffic_medal() -> None:
    # Fewer bytes, but conflicts: the lower medal decides, not the lower share.
    cases = {"even": Traffic(100, 104), "conflicts": Traffic(100, 100, 10, 1)}
    earned = traffic_medal(cases)
    assert (earned.kind, earned.medal, earned.case) == ("traffic", "silver", "conflicts")
    assert not traffic_medal(cases, missing=["wrong"]).judged
    assert not traffic_medal({}).judged


def test_targets_of_every_operator_rise_and_its_medal_cases_are_measured() -> None:
    specs = list_specs(ROOT)
    assert specs
    for spec in specs:
        assert tuple(spec.targets) == MEDALS, spec.id
        assert sorted(spec.targets.values()) == list(spec.targets.values()), spec.id
        assert len(set(spec.medal_cases)) == len(spec.medal_cases) >= 2, spec.id
        measured = [case.name for case in load_cases(ROOT, spec.id).CASES]
        assert set(spec.medal_cases) <= set(measured), spec.id
    assert tuple(TRAFFIC_TARGETS) == tuple(CONFLICT_LIMITS) == MEDALS
