"""softmaxes: what a wrong softmax row is instead."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from camp.grading.patterns.finding import Finding, Output, suffix_start
from camp.grading.verdict import Verdict

_OVERFLOW = 88.0  # exp of more leaves float32
_SHARERS = (32, 64, 128, 256, 512, 1024, 1)  # threads that may share a row
_UNDERFLOW = -80.0  # exp of less is subnormal in float32


def softmax_findings(output: Output) -> Iterator[Finding]:
    columns = output.got.shape[-1] if output.got.ndim else 1
    bad = output.outcome.bad.reshape(-1, columns)
    row = int(np.argmax(bad.any(axis=1)))
    x = output.input().reshape(-1, columns)
    y = output.value.reshape(-1, columns)[row]
    wanted = output.expectation.exact.reshape(-1, columns)[row]
    tops = np.max(x, axis=1)
    rows = bad.any(axis=1)
    if bool(np.isnan(wanted).all()):
        yield Finding(
            f"row {row} is all -inf or holds a NaN and must be NaN, got {y[0]:g}",
            "do not clamp or skip: (-inf) - (-inf) is NaN and must reach every column",
            Verdict.SPECIAL,
        )
        return
    if bool(np.isnan(y).any() or np.isinf(y).any() or (y == 0).all()):
        yield from _lost(row, float(tops[row]), bool((tops[rows] > _OVERFLOW).all()))
    if bool((tops[rows] < _UNDERFLOW).all()):
        yield _floor(row, float(tops[row]))
    if not np.isnan(y).any():
        yield from _lanes(row, bad[row])
        yield from _scaled(row, x[row], y, wanted)
    start = suffix_start(bad[row])
    if start:
        yield Finding(
            f"row {row}: only columns {start}..{columns - 1} are wrong",
            "look at the last, partly filled step of the column loop",
        )


def _lost(row: int, top: float, all_large: bool) -> Iterator[Finding]:
    if all_large:
        yield Finding(
            f"row {row} (maximum {top:g}): exp overflowed",
            "subtract the row maximum first: exp(x - max) never exceeds 1",
            Verdict.SPECIAL,
        )
    elif top < _UNDERFLOW:
        yield _floor(row, top)
    elif not np.isfinite(top):
        yield Finding(f"row {row} holds {top:g}", "see the NaN rule of the task", Verdict.SPECIAL)


def _floor(row: int, top: float) -> Finding:
    return Finding(
        f"row {row}: all values are below {top + 0.5:.0f}, and the running max never went that low",
        "begin the running maximum at -inf, not at 0 and not at the smallest positive float",
    )


def _lanes(row: int, bad: np.ndarray) -> Iterator[Finding]:
    right = np.flatnonzero(~bad)
    if bad.size > 1 and np.array_equal(right, np.arange(0, bad.size, 32)):
        yield Finding(
            f"row {row}: only columns 0, 32, 64, ... are right, those of lane 0",
            "after __shfl_down_sync lane 0 alone holds the total: use __shfl_xor_sync or broadcast",
        )


def _scaled(row: int, x: np.ndarray, y: np.ndarray, wanted: np.ndarray) -> Iterator[Finding]:
    if y.size > 1 and np.array_equal(y, x.astype(y.dtype)):
        yield Finding(f"row {row} is a copy of the input", "store the quotient, not the input")
        return
    terms = np.exp(x - x.max())
    if bool(np.allclose(y, terms, rtol=1e-3, atol=0)) and terms.sum() > 1.01:
        yield Finding(
            f"row {row} holds exp(x - max), not divided by its sum",
            "divide by the row's sum in the last pass",
        )
        return
    total = float(y.sum())
    if abs(total - 1.0) < 1e-3:
        if y.size > 1 and bool((y == y[0]).all()):
            yield Finding(f"row {row} is 1/cols everywhere", "use the row's own values")
        return
    large = wanted > 1e-6
    ratio = y[large] / wanted[large]
    text = f"row {row} sums to {total:.4g}"
    if ratio.size and float(np.ptp(ratio)) <= 1e-2 * abs(float(ratio[0])):
        yield Finding(
            f"{text}: every value is {ratio[0]:.4g} times what it should be",
            _denominator(x, terms, float(terms.sum() / ratio[0])),
        )
        return
    yield Finding(text, "it must sum to 1: is every column in the maximum and in the sum?")


def _denominator(x: np.ndarray, terms: np.ndarray, used: float) -> str:
    for lanes in _SHARERS:
        own = sum(float(np.exp(part - part.max()).sum()) for part in _dealt(x, lanes))
        if abs(own - used) <= 1e-3 * used:
            return (
                f"your sum adds the partial sums of {min(lanes, x.size)} threads as though their "
                "maxima were equal: scale each by exp(old max - new max) first"
            )
    running = np.cumsum(terms)
    match = np.flatnonzero(np.abs(running - used) <= 1e-3 * used)
    if match.size > 0 and match[0] + 1 < terms.size:
        return f"your sum adds only the first {int(match[0]) + 1} columns"
    if abs(float(running[-1]) / used) > 1.0:
        return "your sum is too small: some columns are left out of it"
    return (
        "your sum is too large: columns counted twice, or partial sums of different maxima merged "
        "without the factor exp(old max - new max)"
    )


def _dealt(x: np.ndarray, lanes: int) -> list[np.ndarray]:
    """The columns of each of `lanes` threads that take them in turn."""
    return [x[lane::lanes] for lane in range(min(lanes, x.size))]
