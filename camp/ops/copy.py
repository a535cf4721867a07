"""copy: y = x, bit for bit.

Arrays: x and y of one shape and dtype (f32, f16, bf16, f64, i32, i64 or u8), both contiguous.
Errors: ShapeError, DTypeError, InvalidArgumentError (layout, overlap, wrong device, read-only y).
"""

from __future__ import annotations

from camp.arrays import Array
from camp.runtime import Prepared, apply, apply_, prepare


def copy(x: Array) -> Array:
    """Returns a new array that equals x[...], NaN payloads included."""
    return apply("copy", None, x)


def copy_(out: Array, x: Array) -> Array:
    """Writes x[...] into out[...] and returns out."""
    return apply_("copy", out, x)


def prepare_copy(out: Array, x: Array) -> Prepared:
    """Prepares out[...] = x[...]; each call of the result runs it on the arrays' current values."""
    return prepare("copy", out, x)
