"""What the grader says of outputs that are wrong in a recognisable way."""

from __future__ import annotations

import numpy as np
import pytest

from camp.grading.case import Problem, Tensor
from camp.grading.compare import compare
from camp.grading.dtypes import Array, dtype_of, fill_array, from_float64, to_float64
from camp.grading.oracle import Expectation, exact_output, same_bits, softmax_output, sum_output
from camp.grading.patterns import Finding, explain
from camp.grading.verdict import Verdict

RNG = np.random.default_rng(11)


def judged(
    x: Array, dtype: str, expectation: Expectation, got: Array, name: str = "y"
) -> tuple[Verdict, Finding]:
    """The verdict and the finding for an operator with one input x and one output y."""
    shape = expectation.exact.shape
    tensors = (Tensor(name, "output", dtype, shape), Tensor("x", "input", dtype, x.shape))
    outcome = compare(expectation, got, dtype_of(dtype).fills[0])
    assert outcome.verdict is not Verdict.PASS
    finding = explain(Problem(tensors, {"x": x}), name, expectation, got, outcome)
    return finding.verdict or outcome.verdict, finding


def copied(n: int) -> tuple[Array, Expectation]:
    x = from_float64(np.arange(1.0, n + 1), "f32")
    return x, same_bits(x, "f32")


def summed(rows: int, cols: int, dtype: str = "f32") -> tuple[Array, Expectation]:
    x = from_float64(RNG.integers(1, 4, (rows, cols)), dtype)
    return x, sum_output(to_float64(x, dtype), dtype, integers=True)


def test_nothing_stored() -> None:
    x, expectation = copied(100)
    verdict, finding = judged(x, "f32", expectation, fill_array((100,), "f32", 0))
    assert verdict is Verdict.UNWRITTEN
    assert "fill pattern everywhere" in finding.text


def test_tail_left_over() -> None:
    x, expectation = copied(1027)
    got = x.copy()
    got[1024:] = fill_array((3,), "f32", 0)
    verdict, finding = judged(x, "f32", expectation, got)
    assert verdict is Verdict.UNWRITTEN
    assert "fill pattern intact from 1024 on" in finding.text
    assert "1027 % 4 = 3 are left over" in finding.text


def test_every_second_element_missing() -> None:
    x, expectation = copied(64)
    got = x.copy()
    got[1::2] = fill_array((32,), "f32", 0)
    assert "of every 2 in a row those at 1" in judged(x, "f32", expectation, got)[1].text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: np.zeros_like(x), "y is 0 everywhere"),
        (lambda x: np.full_like(x, np.nan), "NaN everywhere"),
        (lambda x: np.roll(x, -1), "what belongs at i+1"),
        (lambda x: x[::-1].copy(), "in reverse order"),
        (lambda x: np.concatenate([x[:96], -x[96:]]), "elements 96..99 are wrong: the tail"),
    ],
)
def test_element_patterns(change: object, words: str) -> None:
    x, expectation = copied(100)
    assert callable(change)
    verdict, finding = judged(x, "f32", expectation, change(x))
    assert verdict is Verdict.WRONG
    assert words in finding.text


@pytest.mark.parametrize("count", [32, 256, 999])
def test_sum_of_the_first_elements(count: int) -> None:
    x, expectation = summed(3, 1000)
    verdict, finding = judged(x, "f32", expectation, x[:, :count].sum(axis=1))
    assert verdict is Verdict.WRONG
    assert f"equals the sum of the first {count} elements" in finding.text


def test_a_chance_match_is_not_claimed() -> None:
    x, expectation = summed(1, 1000)
    got = x[:, 500:].sum(axis=1) + np.float32(7)
    assert "first" not in judged(x, "f32", expectation, got)[1].text


def test_sum_counted_twice() -> None:
    x, expectation = summed(4, 77)
    assert "2x the sum" in judged(x, "f32", expectation, 2 * x.sum(axis=1))[1].text


def test_accumulator_that_stopped() -> None:
    x = np.ones((1, 17 << 20), dtype=np.float32)
    expectation = sum_output(x.astype(np.float64), "f32")
    verdict, finding = judged(x, "f32", expectation, np.array([2.0**24], dtype=np.float32))
    assert verdict is Verdict.PRECISION
    assert "stopped growing at 2^24" in finding.text


def test_half_accumulator() -> None:
    x = np.ones((1, 4096), dtype=np.float16)
    expectation = sum_output(x.astype(np.float64), "f16", integers=True)
    verdict, finding = judged(x, "f16", expectation, np.array([2048], dtype=np.float16))
    assert verdict is Verdict.PRECISION
    assert "2^11" in finding.text


def test_tolerances_of_float_sums() -> None:
    x = RNG.uniform(0, 1, (1, 1 << 20)).astype(np.float32)
    expectation = sum_output(x.astype(np.float64), "f32")
    serial = np.add.accumulate(x[0], dtype=np.float32)[-1:]
    assert compare(expectation, serial, None).verdict is Verdict.PASS
    slipped = from_float64(expectation.exact * (1 + 200 * 2.0**-24), "f32")
    noted = compare(expectation, slipped, None)
    assert noted.verdict is Verdict.PASS
    assert "200 units of 2^-24" in noted.notes[0]
    tree = compare(expectation, x.sum(axis=1), None)
    assert (tree.verdict, tree.notes) == (Verdict.PASS, [])
    off = expectation.exact * (1 + 2.0**-11)
    assert compare(expectation, from_float64(off, "f32"), None).verdict is Verdict.PRECISION


def softmaxed(x: np.ndarray) -> tuple[Array, Expectation]:
    single = x.astype(np.float32)
    return single, softmax_output(single.astype(np.float64), "f32")


def test_softmax_without_maximum() -> None:
    x, expectation = softmaxed(RNG.uniform(990, 1010, (2, 50)))
    with np.errstate(all="ignore"):
        plain = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    verdict, finding = judged(x, "f32", expectation, plain)
    assert verdict is Verdict.SPECIAL
    assert "subtract the row maximum first" in finding.advice


def test_softmax_with_a_short_sum() -> None:
    x, expectation = softmaxed(RNG.standard_normal((2, 50)))
    terms = np.exp(x - x.max(axis=1, keepdims=True))
    short = terms / terms[:, :32].sum(axis=1, keepdims=True)
    verdict, finding = judged(x, "f32", expectation, short.astype(np.float32))
    assert verdict is Verdict.WRONG
    assert "sums to 1." in finding.text
    assert "only the first 32 columns" in finding.advice


def test_softmax_not_divided() -> None:
    x, expectation = softmaxed(RNG.standard_normal((2, 50)))
    terms = np.exp(x - x.max(axis=1, keepdims=True)).astype(np.float32)
    assert "not divided" in judged(x, "f32", expectation, terms)[1].text


def test_softmax_of_minus_infinity_must_be_nan() -> None:
    x, expectation = softmaxed(np.full((1, 4), -np.inf))
    verdict, finding = judged(x, "f32", expectation, np.full((1, 4), 0.25, dtype=np.float32))
    assert verdict is Verdict.SPECIAL
    assert "must be NaN" in finding.text


def test_zeros_and_noise_fail_where_an_absolute_tolerance_would_pass() -> None:
    _, expectation = softmaxed(RNG.standard_normal((1, 32769)))
    zeros = np.zeros((1, 32769), dtype=np.float32)
    assert compare(expectation, zeros, None).verdict is Verdict.WRONG


def test_expected_nan_is_no_wildcard() -> None:
    expectation = exact_output([np.nan, np.inf, 1.0], "f32")
    for got in ([0.0, np.inf, 1.0], [np.nan, -np.inf, 1.0], [np.nan, np.inf, np.nan]):
        storage = np.array(got, dtype=np.float32)
        assert compare(expectation, storage, None).verdict is not Verdict.PASS
    right = np.array([-np.nan, np.inf, 1.0], dtype=np.float32)
    assert compare(expectation, right, None).verdict is Verdict.PASS


def test_shape_and_dtype_are_strict() -> None:
    expectation = exact_output([1.0, 2.0], "f32")
    for got in (np.ones((2, 1), np.float32), np.ones(2, np.float64), np.ones(1, np.float32)):
        with pytest.raises(ValueError, match="expected"):
            compare(expectation, got, None)


def test_sign_of_zero_is_free_but_in_raw_copies() -> None:
    negative = np.array([-0.0], dtype=np.float32)
    assert compare(exact_output([0.0], "f32"), negative, None).verdict is Verdict.PASS
    raw = same_bits(np.array([0.0], dtype=np.float32), "f32")
    assert compare(raw, negative, None).verdict is Verdict.WRONG


def test_tree_that_drops_the_odd_ones() -> None:
    """Of 7 partial sums 6 are paired, of the 3 that are left 2."""
    x = from_float64(2.0 ** np.arange(7) * np.array([[1.0], [3.0]]), "f32")
    expectation = sum_output(to_float64(x, "f32"), "f32", integers=True)
    got = from_float64(np.array([1.0, 3.0]) * (1 + 8 + 2 + 16), "f32")
    verdict, finding = judged(x, "f32", expectation, got)
    assert verdict is Verdict.WRONG
    assert "the first is element 6" in finding.text
    assert "power of two" in finding.advice
