"""relu: y = x where x > 0, else x * negative_slope.

Arrays: x and y of one dtype (f32, f16 or bf16), any strides; x may broadcast to the shape of y. A
NaN stays a NaN.
Errors: ShapeError, DTypeError, InvalidArgumentError (overlap, wrong device, read-only y).
"""

from __future__ import annotations

from camp.arrays import Array
from camp.runtime import Prepared, apply, apply_, prepare


def relu(x: Array, negative_slope: float = 0.0) -> Array:
    """Returns relu(x[...]) as a new contiguous array of x's shape."""
    return apply("relu", None, x, negative_slope=negative_slope)


def relu_(out: Array, x: Array, negative_slope: float = 0.0) -> Array:
    """Writes relu(x), broadcast to out[...], into out and returns out."""
    return apply_("relu", out, x, negative_slope=negative_slope)


def prepare_relu(out: Array, x: Array, negative_slope: float = 0.0) -> Prepared:
    """Prepares out = relu(x); each call of the result runs it on the arrays' current values."""
    return prepare("relu", out, x, negative_slope=negative_slope)
