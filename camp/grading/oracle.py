"""oracle: what an output must be, and how far it may be from it.

References are float64. Every rule compares NaNs and infinities before numbers, and counts what is
right, never what is wrong: a NaN satisfies no comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from camp.grading.dtypes import (
    Array,
    Float64,
    bits_of,
    dtype_of,
    from_float64,
    half_ulp,
    to_float64,
)
from camp.grading.verdict import Verdict

Mask = npt.NDArray[np.bool_]

# Units of 2^-24 * sum|x|. Honest trees stay below 7, a block sum with atomics reached 36, a serial
# loop over 2^20 numbers 310; an accumulator that stopped growing is off by a million.
SUM_FAIL_UNITS = 4096.0
SUM_NOTE_UNITS = 64.0
# An honest serial row sum over 32769 columns is off by 3.8e-5.
SOFTMAX_FAIL = 1e-4
SOFTMAX_NOTE = 1e-5
SOFTMAX_TINY = 1e-37  # a flushed float32 subnormal


def within(got: Float64, expected: Float64, allowed: Float64 | float) -> Mask:
    """Where `got` is right: the same NaNs, the same signed infinities, else |difference| <=
    allowed."""
    with np.errstate(invalid="ignore", over="ignore"):
        close = np.abs(got - expected) <= allowed
    finite = np.isfinite(got) & np.isfinite(expected)
    same_nan = np.isnan(got) & np.isnan(expected)
    same_inf = np.isinf(got) & np.isinf(expected) & (got == expected)
    result: Mask = same_nan | same_inf | (finite & close)
    return result


@dataclass(frozen=True)
class Expectation:
    """What one output must hold. `exact` is the reference in float64, in the output's shape."""

    dtype: str
    exact: Float64

    def accepts(self, got: Array) -> Mask:
        """Which elements of a storage array are right."""
        raise NotImplementedError

    def slip(self, got: Array, bad: Mask) -> Verdict:
        """The word for finite elements that are wrong: PRECISION for a loss of digits."""
        return Verdict.WRONG

    def notes(self, got: Array) -> list[str]:
        """Remarks on an output that is accepted."""
        return []

    def shown(self) -> Array:
        """The expected storage values, for messages."""
        return from_float64(self.exact, self.dtype)


@dataclass(frozen=True)
class Exact(Expectation):
    """Bit for bit, but for the sign of zero and the payload of NaNs; `raw` exempts neither.

    candidates: storage arrays; an element is right when it equals any of them.
    """

    candidates: Sequence[Array] = field(default=())
    raw: bool = False

    def accepts(self, got: Array) -> Mask:
        result = np.zeros(got.shape, dtype=np.bool_)
        raw = self.raw or not dtype_of(self.dtype).is_float
        value = self.exact if raw else to_float64(got, self.dtype)
        for candidate in self.candidates:
            result |= bits_of(got, self.dtype) == bits_of(candidate, self.dtype)
            if not raw:
                wanted = to_float64(candidate, self.dtype)
                result |= (np.isnan(value) & np.isnan(wanted)) | ((value == 0) & (wanted == 0))
        return result

    def slip(self, got: Array, bad: Mask) -> Verdict:
        if self.raw or not dtype_of(self.dtype).is_float:
            return Verdict.WRONG
        value, wanted = to_float64(got, self.dtype)[bad], self.exact[bad]
        lower = [name for name in ("f16", "bf16") if name != self.dtype]
        near = np.abs(value - wanted) <= 4 * half_ulp(wanted, self.dtype)
        for name in lower:
            near |= value == to_float64(from_float64(wanted, name), name)
        return Verdict.PRECISION if bool(near.all()) else Verdict.WRONG

    def shown(self) -> Array:
        return self.candidates[0]


@dataclass(frozen=True)
class Close(Expectation):
    """Within rtol * |expected| + atol, plus the rounding of the output's own dtype."""

    rtol: float = 0.0
    atol: float = 0.0

    def accepts(self, got: Array) -> Mask:
        return within(to_float64(got, self.dtype), _reachable(self), self._allowed())

    def _allowed(self) -> Float64:
        finite = np.where(np.isfinite(self.exact), self.exact, 0.0)
        own = 1.001 * half_ulp(finite, self.dtype)
        result: Float64 = self.rtol * np.abs(finite) + self.atol + own
        return result

    def slip(self, got: Array, bad: Mask) -> Verdict:
        return _digits_lost(to_float64(got, self.dtype)[bad], self.exact[bad], 1e-2)


@dataclass(frozen=True)
class Softmax(Close):
    """Relative only: an absolute tolerance would accept zeros."""

    rtol: float = SOFTMAX_FAIL
    atol: float = SOFTMAX_TINY

    def notes(self, got: Array) -> list[str]:
        value = to_float64(got, self.dtype)
        strict = SOFTMAX_NOTE * np.abs(self.exact) + SOFTMAX_TINY
        strict = strict + 1.001 * half_ulp(np.nan_to_num(self.exact), self.dtype)
        if bool(within(value, _reachable(self), strict).all()):
            return []
        with np.errstate(invalid="ignore", divide="ignore"):
            worst = float(np.nanmax(np.abs(value - self.exact) / self.exact))
        return [f"relative error {worst:.1e}; pairwise sums stay below {SOFTMAX_NOTE:g}"]


@dataclass(frozen=True)
class Sum(Expectation):
    """A sum of numbers whose absolute values add up to `magnitude` (same shape as `exact`).

    integers: the summands are integers whose partial sums float32 holds exactly, so the order
    cannot matter and equality is demanded; a single dropped or doubled element shows.
    """

    magnitude: Float64 = field(default_factory=lambda: np.zeros(()))
    integers: bool = False

    @property
    def unit(self) -> Float64:
        result: Float64 = np.ldexp(self.magnitude, -24)
        return result

    def accepts(self, got: Array) -> Mask:
        if self.integers:
            rounded = from_float64(self.exact, self.dtype)
            return within(to_float64(got, self.dtype), to_float64(rounded, self.dtype), 0.0)
        return within(to_float64(got, self.dtype), _reachable(self), self._allowed(SUM_FAIL_UNITS))

    def _allowed(self, units: float) -> Float64:
        own = half_ulp(np.nan_to_num(self.exact), self.dtype)
        result: Float64 = np.nan_to_num(units * self.unit) + 1.001 * own
        return result

    def slip(self, got: Array, bad: Mask) -> Verdict:
        value, wanted = to_float64(got, self.dtype)[bad], self.exact[bad]
        holds = 2.0 ** dtype_of(self.dtype).precision
        if self.integers and bool((self.magnitude[bad] <= holds).any()):
            return Verdict.WRONG  # every partial sum is exact even in the output's dtype
        if self.integers and self.dtype == "f32":
            return Verdict.WRONG
        return _digits_lost(value, wanted, 0.05 if self.integers else 1e-2)

    def notes(self, got: Array) -> list[str]:
        if self.integers or bool(
            within(
                to_float64(got, self.dtype), _reachable(self), self._allowed(SUM_NOTE_UNITS)
            ).all()
        ):
            return []
        error = np.abs(to_float64(got, self.dtype) - self.exact)
        units = float(np.nanmax(error / np.maximum(self.unit, 1e-300)))
        return [f"error {units:.0f} units of 2^-24 sum|x|; a tree of partial sums stays below 7"]


def _reachable(expectation: Expectation) -> Float64:
    """The reference with what the dtype cannot hold turned into infinities."""
    rounded = to_float64(from_float64(expectation.exact, expectation.dtype), expectation.dtype)
    return np.where(np.isinf(rounded), rounded, expectation.exact)


def _digits_lost(value: Float64, wanted: Float64, relative: float) -> Verdict:
    with np.errstate(invalid="ignore"):
        near = np.abs(value - wanted) <= relative * np.abs(wanted)
    return Verdict.PRECISION if bool(near.all()) else Verdict.WRONG


# ---- references ----


def exact_output(values: npt.ArrayLike, dtype: str, *others: npt.ArrayLike) -> Exact:
    """`values` (float64) rounded once to the dtype; `others` are further right answers."""
    exact = np.asarray(values, dtype=np.float64)
    rounded = [from_float64(candidate, dtype) for candidate in (exact, *others)]
    return Exact(dtype, exact, tuple(rounded))


def same_bits(storage: Array, dtype: str) -> Exact:
    """Exactly these bits, NaN payloads and signs of zero included."""
    return Exact(dtype, to_float64(storage, dtype), (storage,), raw=True)


def sum_output(x: Float64, dtype: str, *, axis: int | None = -1, integers: bool = False) -> Sum:
    """The sum over the last axis, or of all elements, of float64 values."""
    exact = np.asarray(np.sum(x, axis=axis, dtype=np.longdouble), dtype=np.float64)
    return Sum(dtype, exact, np.asarray(np.sum(np.abs(x), axis=axis)), integers)


def total_output(parts: Iterable[Array], dtype: str) -> Sum:
    """The sum of all elements of all parts, storage arrays: what sum_output gives, for more numbers
    than there is memory for in float64. The parts are summed side by side."""

    def sums(part: Array) -> tuple[np.longdouble, float]:
        values = to_float64(part, dtype)
        return np.sum(values, dtype=np.longdouble), float(np.sum(np.abs(values)))

    with ThreadPoolExecutor() as pool:
        exact, magnitude = zip(*pool.map(sums, parts), strict=True)
    total = np.asarray(sum(exact), dtype=np.float64)
    return Sum(dtype, total, np.asarray(sum(magnitude)))


def softmax_output(x: Float64, dtype: str) -> Softmax:
    """Softmax over the last axis; NaN for a row that holds NaN or nothing but -inf."""
    if x.size == 0:
        return Softmax(dtype, x)
    with np.errstate(invalid="ignore"):
        shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return Softmax(dtype, shifted / np.sum(shifted, axis=-1, keepdims=True))
