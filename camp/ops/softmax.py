"""softmax: y[r, c] = exp(x[r, c] - max_r) / sum_c exp(x[r, c] - max_r), over the last axis.

Arrays: x and y of one shape (rank 1 or more) and dtype (f32, f16 or bf16), both contiguous;
computed in f32. A row that is all -inf, or holds a NaN, is NaN.
Errors: ShapeError, DTypeError, InvalidArgumentError (layout, overlap, wrong device, read-only y).
"""

from __future__ import annotations

from camp.arrays import Array
from camp.runtime import Prepared, apply, apply_, prepare


def softmax(x: Array) -> Array:
    """Returns the softmax of x[..., cols] over its last axis as a new array."""
    return apply("softmax", None, x)


def softmax_(out: Array, x: Array) -> Array:
    """Writes the softmax of x[..., cols] into out[..., cols] and returns out."""
    return apply_("softmax", out, x)


def prepare_softmax(out: Array, x: Array) -> Prepared:
    """Prepares out = softmax(x); each call of the result runs it on the arrays' current values."""
    return prepare("softmax", out, x)
