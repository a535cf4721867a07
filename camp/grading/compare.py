"""compare: holds one output against its expectation and says which elements are wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from camp.grading.dtypes import Array, bits_of, dtype_of, show, to_float64
from camp.grading.oracle import Expectation, Mask
from camp.grading.verdict import Verdict


@dataclass(frozen=True)
class Comparison:
    """The outcome for one output. `bad` has its shape; `first` is its first True index."""

    verdict: Verdict
    bad: Mask
    unwritten: Mask
    notes: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return int(np.count_nonzero(self.bad))

    @property
    def first(self) -> tuple[int, ...]:
        flat = int(np.argmax(self.bad.reshape(-1)))
        return tuple(int(i) for i in np.unravel_index(flat, self.bad.shape))


def compare(expectation: Expectation, got: Array, fill: int | None) -> Comparison:
    """Judges a storage array. `fill` is the bit pattern the output held before the launch.

    Raises ValueError when shape or storage differ: those are the grader's own mistakes."""
    dtype = dtype_of(expectation.dtype)
    if got.shape != expectation.exact.shape or got.dtype != dtype.storage:
        raise ValueError(
            f"got {got.dtype}{got.shape}, expected {dtype.storage}{expectation.exact.shape}"
        )
    right = expectation.accepts(got)
    bad: Mask = np.logical_not(right)
    nothing: Mask = np.zeros(got.shape, dtype=np.bool_)
    if int(np.count_nonzero(right)) == got.size:
        return Comparison(Verdict.PASS, bad, nothing, expectation.notes(got))
    unwritten = nothing
    if fill is not None:
        unwritten = bad & (bits_of(got, dtype.name) == fill)
    return Comparison(_word(expectation, got, bad, unwritten), bad, unwritten)


def written_only(outcome: Comparison) -> Comparison:
    """The same outcome with elements that were never stored left out."""
    bad: Mask = outcome.bad & ~outcome.unwritten
    if not bad.any():
        return Comparison(Verdict.PASS, bad, np.zeros_like(bad), outcome.notes)
    return Comparison(Verdict.WRONG, bad, np.zeros_like(bad), outcome.notes)


def _word(expectation: Expectation, got: Array, bad: Mask, unwritten: Mask) -> Verdict:
    if unwritten.any():
        return Verdict.UNWRITTEN
    if dtype_of(expectation.dtype).is_float and not getattr(expectation, "raw", False):
        value = to_float64(got, expectation.dtype)[bad]
        wanted = to_float64(expectation.shown(), expectation.dtype)[bad]
        if bool((np.isnan(value) != np.isnan(wanted)).any()):
            return Verdict.SPECIAL
        if bool((np.isinf(value) != np.isinf(wanted)).any()):
            return Verdict.SPECIAL
    return expectation.slip(got, bad)


def place(index: tuple[int, ...], name: str) -> str:
    """`y[3]`, `y[2, 31]`, or `y` for a scalar."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def describe(name: str, expectation: Expectation, got: Array, outcome: Comparison) -> str:
    """First bad element, expected and got, and how many are wrong."""
    first = outcome.first
    expected = show(expectation.shown()[first], expectation.dtype)
    found = show(got[first], expectation.dtype)
    if outcome.unwritten[first]:
        found = "the fill pattern (never stored)"
    some = f"{outcome.count} of {outcome.bad.size} wrong"
    return f"{place(first, name)}: expected {expected}, got {found}; {some}"
