"""reduce_sum: y[r] = sum over c of x[r, c], over the last axis or over everything.

Arrays: x of any rank, y of x's shape without the last axis (axis=-1) or of rank 0 (axis=None); one
dtype (f32, f16 or bf16), both contiguous. Sums are kept in f32 and rounded once; an empty row is 0.
Errors: ShapeError, DTypeError, InvalidArgumentError (axis, layout, overlap, wrong device,
read-only y).
"""

from __future__ import annotations

from camp.arrays import Array, shape_of
from camp.errors import InvalidArgumentError, ShapeError
from camp.runtime import Prepared, apply, apply_, prepare


def reduce_sum(x: Array, axis: int | None = -1) -> Array:
    """Returns the sums of x[..., cols] over its last axis, or (axis=None) their total, rank 0."""
    return apply("reduce_sum", _reduced(x, axis), x)


def reduce_sum_(out: Array, x: Array, axis: int | None = -1) -> Array:
    """Writes the sums into out, of x's shape without its last axis (or rank 0); returns out."""
    _check(out, x, axis)
    return apply_("reduce_sum", out, x)


def prepare_reduce_sum(out: Array, x: Array, axis: int | None = -1) -> Prepared:
    """Prepares out = reduce_sum(x, axis); each call of the result runs it anew."""
    _check(out, x, axis)
    return prepare("reduce_sum", out, x)


def _reduced(x: Array, axis: int | None) -> tuple[int, ...]:
    shape = shape_of(x, "reduce_sum: x")
    if axis is None:
        return ()
    if not shape:
        raise ShapeError(
            "reduce_sum: x has rank 0 and no last axis; pass axis=None", status="SHAPE_MISMATCH"
        )
    if axis not in (-1, len(shape) - 1):
        raise InvalidArgumentError(
            f"reduce_sum sums over the last axis (axis=-1) or everything (axis=None), not "
            f"axis={axis}",
            status="INVALID_ARGUMENT",
        )
    return shape[:-1]


def _check(out: Array, x: Array, axis: int | None) -> None:
    # The C function tells the two sums apart by the rank of y alone.
    expected, got = _reduced(x, axis), shape_of(out, "reduce_sum: y")
    if got != expected:
        raise ShapeError(
            f"reduce_sum: y has shape {got}, and the sum over axis={axis} has {expected}",
            status="SHAPE_MISMATCH",
        )
