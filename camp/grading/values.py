"""values: inputs that make faults show. Every function returns a storage array of the dtype."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from camp.grading.dtypes import Array, Float64, dtype_of, from_float64

Rng = np.random.Generator
Shape = tuple[int, ...]
Values = Callable[[Rng, Shape, str], Array]


def _count(shape: Shape) -> int:
    return int(np.prod(shape, dtype=np.int64))


def tagged(rng: Rng, shape: Shape, dtype: str) -> Array:
    """Neighbours always differ and no value is a fill pattern: a shifted, doubled or dropped
    element shows. Starts at a random place so that no answer repeats."""
    count = _count(shape)
    if dtype == "u8":  # 1..89 stays below both fill bytes
        period, start = 89, int(rng.integers(0, 89))
        ramp = (np.arange(count, dtype=np.int64) + start) % period + 1
    else:
        period = 251 if dtype == "bf16" else 2039
        start = int(rng.integers(0, period))
        ramp = (np.arange(count, dtype=np.int64) + start) % period - period // 2
    if dtype_of(dtype).is_float:
        return from_float64(ramp, dtype).reshape(shape)
    return ramp.astype(dtype_of(dtype).storage).reshape(shape)


def raw_bits(rng: Rng, shape: Shape, dtype: str) -> Array:
    """Any bit pattern: NaNs with payloads, infinities, subnormals, negative zeros."""
    kind = dtype_of(dtype)
    raw = rng.integers(0, 256, size=_count(shape) * kind.bytes, dtype=np.uint8)
    return raw.view(kind.storage).reshape(shape)


def small_integers(rng: Rng, shape: Shape, dtype: str) -> Array:
    """1, 2 or 3: sums are exact in any order as long as they stay below 2^precision."""
    return from_float64(rng.integers(1, 4, size=shape), dtype)


def uniform(low: float, high: float) -> Values:
    """Random floats of [low, high)."""

    def draw(rng: Rng, shape: Shape, dtype: str) -> Array:
        return from_float64(rng.uniform(low, high, size=shape), dtype)

    return draw


def normal(scale: float = 1.0) -> Values:
    """Random floats around 0."""

    def draw(rng: Rng, shape: Shape, dtype: str) -> Array:
        return from_float64(rng.standard_normal(size=shape) * scale, dtype)

    return draw


def wide_range(rng: Rng, shape: Shape, dtype: str) -> Array:
    """Random signs and exponents, so that rounding, cancellation and subnormals occur."""
    kind = dtype_of(dtype)
    spread = min(-kind.min_exponent - 2, 60)
    mantissa = rng.uniform(1.0, 2.0, size=shape) * rng.choice((-1.0, 1.0), size=shape)
    return from_float64(np.ldexp(mantissa, rng.integers(-spread, spread, size=shape)), dtype)


def constant(value: float) -> Values:
    """One value everywhere."""

    def fill(rng: Rng, shape: Shape, dtype: str) -> Array:
        return from_float64(np.full(shape, value), dtype)

    return fill


def listed(values: list[float]) -> Values:
    """These values over and over."""

    def repeat(rng: Rng, shape: Shape, dtype: str) -> Array:
        return from_float64(np.resize(np.asarray(values), _count(shape)).reshape(shape), dtype)

    return repeat


def ramp(step: float) -> Values:
    """Ascending (or descending) along the last axis, around a random offset."""

    def rows(rng: Rng, shape: Shape, dtype: str) -> Array:
        line = np.arange(shape[-1]) * step + float(rng.uniform(-1, 1))
        return from_float64(np.broadcast_to(line, shape), dtype)

    return rows


def spikes(columns: list[int]) -> Values:
    """Row r is low noise but for columns[r % len], which holds most of the row's exp: without that
    column the others grow at least threefold."""

    def rows(rng: Rng, shape: Shape, dtype: str) -> Array:
        values: Float64 = rng.uniform(-1.0, 1.0, size=shape)
        width = shape[-1]
        table = values.reshape(-1, width)
        height = float(np.log(4.0 * width))
        for row in range(table.shape[0]):
            table[row, columns[row % len(columns)] % width] = height + float(rng.uniform(0, 1))
        return from_float64(table.reshape(shape), dtype)

    return rows
