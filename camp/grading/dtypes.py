"""dtypes: element types as the grader stores, rounds and poisons them.

An array of a Camp dtype is kept in its storage type: bf16, which numpy lacks, as uint16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class DType:
    """One element type: its storage, bits of precision (0: not a float) and fill patterns."""

    name: str
    storage: np.dtype[Any]
    precision: int
    min_exponent: int  # of the smallest normal number
    fills: tuple[int, int]  # two bit patterns that no honest kernel stores by chance

    @property
    def is_float(self) -> bool:
        return self.precision > 0

    @property
    def bytes(self) -> int:
        return int(self.storage.itemsize)

    @property
    def bits(self) -> np.dtype[Any]:
        """The unsigned integer type of the same size."""
        return np.dtype(f"u{self.bytes}")


_FLOATS = (
    DType("f32", np.dtype(np.float32), 24, -126, (0x7FE1A5A5, 0xFFD25A5A)),
    DType("f16", np.dtype(np.float16), 11, -14, (0x7E5A, 0xFEA5)),
    DType("bf16", np.dtype(np.uint16), 8, -126, (0x7FE5, 0xFFDA)),
    DType("f64", np.dtype(np.float64), 53, -1022, (0x7FF9A5A5A5A5A5A5, 0xFFFA5A5A5A5A5A5A)),
)
_INTEGERS = (
    DType("i32", np.dtype(np.int32), 0, 0, (0xA5A5A5A5, 0x5A5A5A5B)),
    DType("i64", np.dtype(np.int64), 0, 0, (0xA5A5A5A5A5A5A5A5, 0x5A5A5A5A5A5A5A5B)),
    DType("u8", np.dtype(np.uint8), 0, 0, (0xA5, 0x5B)),
)
DTYPES: dict[str, DType] = {dtype.name: dtype for dtype in _FLOATS + _INTEGERS}


def dtype_of(name: str) -> DType:
    """The dtype of a short name such as "bf16"; ValueError for any other word."""
    if name not in DTYPES:
        raise ValueError(f"unknown dtype {name!r}: one of {', '.join(DTYPES)}")
    return DTYPES[name]


def to_float64(values: Array, name: str) -> Float64:
    """The values of a storage array, exactly (i64 beyond 2^53 excepted)."""
    with np.errstate(invalid="ignore"):  # raised by signalling NaNs
        if name == "bf16":
            return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        return values.astype(np.float64)


def from_float64(values: npt.ArrayLike, name: str) -> Array:
    """float64 values rounded once, to nearest even, into the storage of a dtype."""
    exact = np.asarray(values, dtype=np.float64)
    if name == "bf16":
        return _to_bf16(exact)
    with np.errstate(over="ignore", invalid="ignore"):
        return exact.astype(dtype_of(name).storage)


def _to_bf16(exact: Float64) -> Array:
    """Rounds once: float64 -> float32 to odd, which keeps what the second rounding must know."""
    with np.errstate(over="ignore", invalid="ignore"):
        near = exact.astype(np.float32)
    bits = np.ascontiguousarray(near).view(np.uint32).reshape(near.shape)
    back = near.astype(np.float64)
    finite = np.isfinite(exact)
    # To odd: an inexact result ends in 1, on the side of zero where the exact value lies.
    away = finite & (np.abs(back) > np.abs(exact))
    # np.where, not assignment: numpy turns operations on rank 0 into scalars.
    bits = np.where(away, bits - 1, bits)
    bits = np.where(finite & (back != exact), bits | 1, bits)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    result: Array = np.where(np.isnan(exact), 0x7FC0, rounded).astype(np.uint16)
    return result


def half_ulp(values: Float64, name: str) -> Float64:
    """Half the gap between neighbours of a float dtype around each finite value."""
    dtype = dtype_of(name)
    _, exponent = np.frexp(np.where(np.isfinite(values), values, 0.0))
    lowest = np.maximum(exponent - 1, dtype.min_exponent)
    lowest = np.where(values == 0.0, dtype.min_exponent, lowest)
    result: Float64 = np.ldexp(0.5, lowest - (dtype.precision - 1))
    return result


def bits_of(values: Array, name: str) -> Array:
    """The same storage seen as unsigned integers."""
    flat: Array = np.ascontiguousarray(values).view(dtype_of(name).bits)
    return flat.reshape(values.shape)


def fill_array(shape: tuple[int, ...], name: str, which: int) -> Array:
    """A storage array full of poison; `which` 0 or 1 picks the pattern."""
    dtype = dtype_of(name)
    bits: Array = np.full(shape, dtype.fills[which], dtype=dtype.bits)
    filled: Array = bits.view(dtype.storage)
    return filled


def show(value: Any, name: str) -> str:
    """One element for a message: shortest digits for floats, hex added for a NaN."""
    dtype = dtype_of(name)
    if not dtype.is_float:
        return str(int(value))
    single = np.asarray(value).reshape(1)
    number = float(to_float64(single, name)[0])
    if np.isnan(number):
        return f"NaN (0x{int(bits_of(single, name)[0]):x})"
    if name == "bf16":  # numpy knows no shortest form of it; 4 digits tell all values apart
        return f"{number:.4g}"
    return f"{single[0]:.9g}" if name == "f64" else str(single[0])
