"""data: random inputs that worker and parent make alike from one seed, buffer set by buffer set.

Set i holds the base values rotated by an offset drawn from the seed: sets differ, so an answer
kept from an earlier call is wrong, and the worker makes them by copies on the device.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from camp.bench.cases import BenchCase

Storage = npt.NDArray[Any]

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


def base_values(case: BenchCase, tensor: str, seed: int) -> Storage:
    """The flat values of set 0: floats in [-1, 1), integers over their whole range."""
    count = math.prod(case.shapes[tensor])
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
    """By how many elements set `index` is rotated to the left; 0 for set 0."""
    count = math.prod(case.shapes[tensor])
    if index == 0 or count < 2:
        return 0
    return int(np.random.default_rng([seed, index, *tensor.encode()]).integers(1, count))


def aligned_copy(values: Storage, alignment: int = 256) -> Storage:
    """A copy whose first element lies on a multiple of `alignment` bytes, as on a device."""
    room = np.empty(values.nbytes + alignment, dtype=np.uint8)
    start = -room.ctypes.data % alignment
    copy = room[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


def set_values(case: BenchCase, tensor: str, seed: int, index: int) -> Storage:
    """The values of one tensor of one set, in its shape."""
    base = base_values(case, tensor, seed)
    rotated = np.roll(base, -rotation(case, tensor, seed, index))
    return rotated.reshape(case.shapes[tensor])
