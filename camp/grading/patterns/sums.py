"""sums: what a wrong row sum is instead."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from camp.grading.dtypes import dtype_of
from camp.grading.oracle import Sum
from camp.grading.patterns.finding import Finding, Output
from camp.grading.verdict import Verdict

_CLEAR = "zero the output inside your launcher before blocks add to it"


def sum_findings(output: Output) -> Iterator[Finding]:
    expectation = output.expectation
    assert isinstance(expectation, Sum)
    rows = np.atleast_1d(output.value).reshape(-1)
    row = int(np.argmax(output.outcome.bad.reshape(-1)))
    x = output.input().reshape(rows.size, -1)[row]
    got = float(rows[row])
    exact = float(expectation.exact.reshape(-1)[row])
    unit = float(expectation.unit.reshape(-1)[row])
    near = 0.25 if expectation.integers and output.expectation.dtype == "f32" else 64 * unit
    where = f"row {row}: " if rows.size > 1 else ""
    if np.isnan(got) and np.isfinite(exact):
        yield Finding(f"{where}the sum is NaN", "start the accumulator at 0, and clear what adds")
        return
    for finding in _stuck(output, got, exact):
        yield Finding(where + finding.text, finding.advice, finding.verdict)
    yield from _subsets(output, where)
    yield from _odd_halves(output, where)
    if output.outcome.verdict is Verdict.PRECISION and output.expectation.dtype != "f32":
        yield Finding(
            f"{where}digits were lost on the way: the sum was kept in {output.expectation.dtype}",
            "accumulate in float: convert each element when it is loaded, round once at the end",
        )
        return
    for finding in _parts(x, got, exact, near):
        yield Finding(where + finding.text, finding.advice, finding.verdict)


def _stuck(output: Output, got: float, exact: float) -> Iterator[Finding]:
    for dtype in ("f32", "f16", "bf16"):
        top = 2.0 ** dtype_of(dtype).precision
        if got == top and exact > 1.001 * top:
            power = dtype_of(dtype).precision
            kind = "float" if dtype == "f32" else f"float (it was {dtype})"
            split = "keep several partial sums" if dtype == "f32" else f"accumulate in {kind}"
            yield Finding(
                f"your single accumulator stopped growing at 2^{power}",
                f"{split}: adding 1 to 2^{power} changes nothing",
                Verdict.PRECISION,
            )


def _parts(x: np.ndarray, got: float, exact: float, near: float) -> Iterator[Finding]:
    if x.size < 2 or not np.isfinite(got):
        return
    if got == 0:
        yield Finding("the sum is 0", "check that the partial sums reach the thread that stores")
        return
    times = got / exact if exact else 0.0
    if round(times) >= 2 and abs(got - round(times) * exact) <= round(times) * near:
        whole = round(times)
        yield Finding(f"the result is {whole}x the sum", f"each element counts {whole} times")
        return
    if abs(abs(exact - got) - np.abs(x).max()) <= near or abs(exact - got) <= np.abs(x).max():
        kind = "too small" if got < exact else "too large"
        yield Finding(
            f"the result is {kind} by {abs(exact - got):.6g}, about one element",
            "look for an element that is skipped or counted twice at the ends of loops",
        )


def _subsets(output: Output, where: str) -> Iterator[Finding]:
    """One subset of columns that explains every wrong row. Small integers match many sums by
    chance, so a subset must explain up to 8 rows, or be one that code is likely to pick."""
    expectation = output.expectation
    assert isinstance(expectation, Sum)
    sums = np.atleast_1d(output.value).reshape(-1)
    rows = np.flatnonzero(np.atleast_1d(output.outcome.bad).reshape(-1))[:8]
    x = output.input().reshape(sums.size, -1)[rows]
    unit = np.atleast_1d(expectation.unit).reshape(-1)[rows]
    slack = 1e-6 if expectation.integers else 64 * unit
    got = sums[rows]
    total = x.shape[1]
    running = np.cumsum(x, axis=1)
    heads = np.flatnonzero((np.abs(running - got[:, None]) <= np.reshape(slack, (-1, 1))).all(0))
    for count in (int(k) + 1 for k in heads):
        if count < total and (rows.size >= 3 or _is_likely(count, total)):
            left = total - count
            yield Finding(
                f"{where}the result equals the sum of the first {count} elements; the last {left} "
                f"{'is' if left == 1 else 'are'} missing",
                _missing(count, left, total),
                Verdict.WRONG,
            )
            return
    for period in (1 << p for p in range(1, 11)):
        kept = np.arange(total) % period < period // 2
        if rows.size >= 2 and (np.abs(x[:, kept].sum(axis=1) - got) <= slack).all():
            yield Finding(
                f"{where}the result is the sum of the elements c with c % {period} < {period // 2}",
                "half of the partial sums are left out: the first step of the tree is half a block",
                Verdict.WRONG,
            )
            return


def _odd_halves(output: Output, where: str) -> Iterator[Finding]:
    """A tree over one partial sum a column whose step is halved downwards."""
    sums = np.atleast_1d(output.value).reshape(-1)
    rows = np.flatnonzero(np.atleast_1d(output.outcome.bad).reshape(-1))[:8]
    x = output.input().reshape(sums.size, -1)[rows]
    total = x.shape[1]
    if not 3 <= total <= 1024:
        return
    partial, active = x.copy(), total
    lost = []
    while active > 1:
        half = active // 2
        lost += [active - 1] if active % 2 else []
        partial[:, :half] += partial[:, half : 2 * half]
        active = half
    if lost and bool((np.abs(partial[:, 0] - sums[rows]) <= 1e-6 * np.abs(x).sum(axis=1)).all()):
        yield Finding(
            f"{where}the result is that of a tree over {total} partial sums, whose odd ones are "
            f"dropped when it halves (the first is element {lost[0]})",
            "give the tree a power of two of partial sums, zeros past the end",
            Verdict.WRONG,
        )


def _is_likely(count: int, total: int) -> bool:
    return count % 32 == 0 or total - count < 8


def _missing(count: int, left: int, total: int) -> str:
    if count == 32:
        return "combine the sums of all warps, not of the first only"
    if count & (count - 1) == 0 and count > 32:
        return (
            f"one pass of {count} threads covers only {count} elements: let each thread loop, and "
            "round the number of steps up"
        )
    if left < 32:
        return "the loop ends early: round the number of steps up, not down"
    return f"the loop must reach element {total - 1}"
