"""Rounding, poison and tolerances of the grader against independent computations."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from camp.grading.dtypes import DTYPES, fill_array, from_float64, half_ulp, show, to_float64
from camp.grading.oracle import softmax_output, sum_output, total_output


def nearest_even(value: float, dtype: str) -> float:
    """Rounding by exact fractions: the definition."""
    kind = DTYPES[dtype]
    if value == 0 or not math.isfinite(value):
        return value
    exponent = max(math.frexp(value)[1] - 1, kind.min_exponent)
    step = Fraction(2) ** (exponent - kind.precision + 1)
    whole, rest = divmod(abs(Fraction(value)), step)
    if rest > step / 2 or (rest == step / 2 and whole % 2):
        whole += 1
    largest = Fraction(2) ** (1 - kind.min_exponent) * (2 - Fraction(2) ** (1 - kind.precision))
    rounded = whole * step
    return math.copysign(math.inf if rounded > largest else float(rounded), value)


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_rounds_once_to_nearest_even(dtype: str) -> None:
    rng = np.random.default_rng(5)
    kind = DTYPES[dtype]
    exponents = rng.integers(kind.min_exponent - kind.precision - 3, 1 - kind.min_exponent, 3000)
    random = np.ldexp(rng.uniform(-2, 2, 3000), exponents)
    grid = to_float64(from_float64(random, dtype), dtype)
    ties = grid + half_ulp(grid, dtype) * (1 + 2.0**-40 * rng.integers(-1, 2, 3000))
    values = np.concatenate([random, ties[np.isfinite(ties)], [0.0, -0.0, 1e300, -1e300]])
    rounded = to_float64(from_float64(values, dtype), dtype)
    assert rounded.tolist() == [nearest_even(float(v), dtype) for v in values]


def test_bf16_keeps_nan_and_infinity() -> None:
    back = to_float64(from_float64([math.nan, math.inf, -math.inf], "bf16"), "bf16")
    assert math.isnan(back[0])
    assert back[1:].tolist() == [math.inf, -math.inf]


@pytest.mark.parametrize("dtype", DTYPES)
def test_fills_differ_and_are_nan(dtype: str) -> None:
    first, second = (fill_array((3,), dtype, which) for which in (0, 1))
    assert first.tobytes() != second.tobytes()
    if DTYPES[dtype].is_float:
        for fill in (first, second):
            assert np.isnan(to_float64(fill, dtype)).all()


def test_half_ulp_is_half_the_gap() -> None:
    values = np.array([1.0, 1.5, 2.0, 1000.0, 6e-8, 0.0])
    gaps = np.spacing(values.astype(np.float16)).astype(np.float64)
    assert half_ulp(values.astype(np.float16).astype(float), "f16").tolist() == (gaps / 2).tolist()


def test_sum_reference_agrees_with_fsum() -> None:
    x = np.random.default_rng(1).standard_normal((7, 1000)) * 1000
    rows = sum_output(x, "f32").exact
    assert rows.tolist() == pytest.approx([math.fsum(row) for row in x], rel=1e-15)
    assert float(sum_output(x, "f32", axis=None).exact) == pytest.approx(math.fsum(x.ravel()))


def test_softmax_reference_agrees_with_a_second_formula() -> None:
    x = np.random.default_rng(2).standard_normal((9, 333)) * 5
    log_sum = np.logaddexp.reduce(x, axis=-1, keepdims=True)
    np.testing.assert_allclose(softmax_output(x, "f32").exact, np.exp(x - log_sum), rtol=1e-12)


def test_show() -> None:
    assert show(np.float32(0.1), "f32") == "0.1"
    assert show(from_float64([0.1], "bf16")[0], "bf16") == "0.1001"
    assert show(fill_array((1,), "f32", 0)[0], "f32") == "NaN (0x7fe1a5a5)"
    assert show(np.uint8(7), "u8") == "7"


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_rank_0_rounds_as_any_other(dtype: str) -> None:
    """The sum of everything is a tensor of rank 0."""
    assert float(to_float64(from_float64(np.float64(1.5), dtype), dtype)) == 1.5
    assert from_float64(np.array(math.nan), dtype).shape == ()


def test_a_total_of_parts_is_the_sum_of_all() -> None:
    values = np.arange(-5, 9, dtype=np.float32)
    found = total_output((values[start : start + 4] for start in range(0, 14, 4)), "f32")
    assert (float(found.exact), float(found.magnitude)) == (21.0, 51.0)
    assert (found.exact.shape, found.dtype) == ((), "f32")
