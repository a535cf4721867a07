"""data: random inputs that worker and parent make alike from one seed, buffer set by buffer set.

A tensor repeats a period of random values, so gigabytes need no minutes to make and to upload. The
period is a prime: no tile, row or power of two is a multiple of it, so reading a wrong place gives
wrong values. Set i begins elsewhere in the period, at an offset drawn from the seed: sets differ,
so an answer kept from an earlier call is wrong, and the worker makes them by copies on the device.
A sum of everything would hardly differ, so the first values of each set also get signs of its own.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from camp.bench.cases import BenchCase

Storage = npt.NDArray[Any]

PERIOD = 4_194_301
HEAD = 4096  # values whose signs are a set's own: far beyond the rounding of a sum of 2^28

_STORAGE: dict[str, np.dtype[Any]] = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(np.uint16),
    "f64": np.dtype(np.float64),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u8": np.dtype(np.uint8),
}


def storage_dtype(dtype: str) -> np.dtype[Any]:
    """The numpy dtype that holds a Camp dtype; bf16, which numpy lacks, is kept as bits."""
    return _STORAGE[dtype]


def period(case: BenchCase, tensor: str) -> int:
    """After how many elements the values of a tensor repeat; its size when it is smaller."""
    return min(math.prod(case.shapes[tensor]), PERIOD)


def base_values(case: BenchCase, tensor: str, seed: int) -> Storage:
    """One period of set 0, flat: floats in [-1, 1), integers over their whole range."""
    count = period(case, tensor)
    generator = np.random.Generator(np.random.SFC64([seed, *tensor.encode()]))
    if case.dtype in ("f32", "f16", "bf16"):
        values = generator.random(count, dtype=np.float32)
        values *= 2.0
        values -= 1.0
        if case.dtype == "bf16":
            # The upper half of a float32 is a bf16, rounded towards zero.
            return (values.view(np.uint32) >> 16).astype(np.uint16)
        return values if case.dtype == "f32" else values.astype(np.float16)
    if case.dtype == "f64":
        return generator.random(count) * 2.0 - 1.0
    storage = storage_dtype(case.dtype)
    return np.frombuffer(generator.bytes(count * storage.itemsize), dtype=storage)


def rotation(case: BenchCase, tensor: str, seed: int, index: int) -> int:
    """At which element of the period set `index` begins; 0 for set 0."""
    count = period(case, tensor)
    if index == 0 or count < 2:
        return 0
    return int(np.random.default_rng([seed, index, *tensor.encode()]).integers(1, count))


def head(case: BenchCase, tensor: str, seed: int, index: int, base: Storage) -> Storage:
    """The first values of set `index`, flat: positive up to a place that is drawn, then negative.

    None in set 0, for integers, and beyond the first half of a small tensor.
    """
    size = min(HEAD, math.prod(case.shapes[tensor]) // 2)
    if index == 0 or case.dtype not in ("f32", "f16", "bf16", "f64"):
        size = 0
    places = np.arange(size) + rotation(case, tensor, seed, index)
    values = base.take(places, mode="wrap") if size else base[:0].copy()
    bits = values.view(f"u{values.itemsize}")
    sign = bits.dtype.type(1 << (8 * values.itemsize - 1))
    positive = int(np.random.default_rng([seed, index, size]).integers(0, size + 1))
    bits[:positive] &= ~sign
    bits[positive:] |= sign
    return values


def aligned_copy(values: Storage, alignment: int = 256) -> Storage:
    """A copy whose first element lies on a multiple of `alignment` bytes, as on a device."""
    room = np.empty(values.nbytes + alignment, dtype=np.uint8)
    start = -room.ctypes.data % alignment
    copy = room[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


def rows_shape(shape: tuple[int, ...], rows: slice) -> tuple[int, ...]:
    """The shape of some leading rows, given as a slice with both ends or none."""
    return shape if rows.stop is None else (rows.stop - rows.start, *shape[1:])


def set_values(
    case: BenchCase,
    tensor: str,
    seed: int,
    index: int,
    rows: slice = slice(None),
    base: Storage | None = None,
) -> Storage:
    """The values of one tensor of one set in its shape, or of some of its leading rows.

    base: base_values of the tensor, where they are at hand.
    """
    shape = rows_shape(case.shapes[tensor], rows)
    base = base_values(case, tensor, seed) if base is None else base
    begin = (rows.start or 0) * math.prod(shape[1:])
    first = rotation(case, tensor, seed, index) + begin
    values = np.resize(np.roll(base, -(first % max(len(base), 1))), shape)
    own = head(case, tensor, seed, index, base)[begin : begin + values.size]
    values.reshape(-1)[: len(own)] = own
    return values
