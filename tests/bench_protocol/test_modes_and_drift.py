"""test_modes_and_drift: samples that one median does not describe, against answers by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from camp.bench.drift import drift
from camp.bench.modes import Mode, two_modes


def around(value: float, count: int, half_width: float = 0.05) -> list[float]:
    """Evenly spread samples: value +- half_width."""
    return [value - half_width + 2 * half_width * n / (count - 1) for n in range(count)]


def test_two_values_are_two_modes_whatever_their_order() -> None:
    samples = around(10.0, 30) + around(12.0, 10)
    assert two_modes(samples) == (
        Mode(pytest.approx(10.0), 0.75),
        Mode(pytest.approx(12.0), 0.25),
    )
    random.Random(1).shuffle(samples)
    assert [mode.value for mode in two_modes(samples)] == pytest.approx([10.0, 12.0])


@pytest.mark.parametrize(
    "samples",
    [
        pytest.param(around(10.0, 40), id="one value"),
        pytest.param([10.0] * 40, id="no spread at all"),
        pytest.param([*around(10.0, 36), 12.0, 12.0, 12.01], id="outliers: fewer than a tenth"),
        pytest.param([10.0] * 20 + [10.09] * 20, id="0.9 % apart"),
        # Each side spreads over 1.0 between its quartiles; the gap between them is 1.5, not 2.
        pytest.param(around(10.0, 21, 1.0) + around(13.5, 21, 1.0), id="close and wide"),
        pytest.param([10.0, 12.0], id="two samples"),
        pytest.param([], id="none"),
    ],
)
def test_one_mode_has_no_second(samples: list[float]) -> None:
    assert two_modes(samples) == ()


def test_a_gap_wider_than_twice_the_quartiles_of_either_side_separates() -> None:
    assert two_modes(around(10.0, 21, 1.0) + around(14.5, 21, 1.0))  # 2.5 between them


@pytest.mark.parametrize("shape", ["normal", "uniform", "exponential"])
def test_draws_from_one_distribution_hardly_ever_split(shape: str) -> None:
    generator = random.Random(3)
    draw = {
        "normal": lambda: generator.gauss(100.0, 3.0),
        "uniform": lambda: generator.uniform(90.0, 110.0),
        "exponential": lambda: 100.0 + generator.expovariate(0.3),
    }[shape]
    found = sum(bool(two_modes([draw() for _ in range(31)])) for _ in range(200))
    assert found <= 4


def slope(count: int, moved: float) -> list[float]:
    return [100.0 + moved * n / (count - 1) for n in range(count)]


def test_a_slope_moves_by_what_lies_between_the_thirds() -> None:
    # 31 samples from 100 to 103, clipped to 100.3 and 102.7: the first ten are three of 100.3 and
    # 100.3 to 100.9 by tenths, 100.51 on average; the last ten mirror them, 102.49.
    assert drift(slope(31, 3.0)) == pytest.approx((102.49 - 100.51) / 101.5)
    assert drift(slope(31, -3.0)) == pytest.approx(-1.98 / 98.5)


@pytest.mark.parametrize(
    "samples",
    [
        pytest.param(slope(31, 0.7), id="less than 0.5 % between the thirds"),
        pytest.param([100.0, 103.0] * 20, id="up and down"),
        pytest.param([500.0] + [100.0] * 30, id="a wild first sample"),
        pytest.param([100.0] * 31, id="nothing moves"),
        pytest.param([100.0, 200.0, 300.0], id="too few"),
        pytest.param([0.0] * 31, id="no time"),
    ],
)
def test_what_does_not_move_in_one_direction_is_no_drift(samples: Sequence[float]) -> None:
    assert drift(samples) == 0.0


def test_a_step_in_the_middle_is_a_drift() -> None:
    assert drift([100.0] * 16 + [104.0] * 15) == pytest.approx(0.04)


def test_chance_hardly_ever_passes_for_drift() -> None:
    generator = random.Random(5)
    found = sum(bool(drift([generator.gauss(100.0, 2.0) for _ in range(31)])) for _ in range(300))
    assert found <= 6
