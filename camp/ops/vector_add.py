"""vector_add: z = a + b, element by element.

Arrays: a, b and z of one shape and dtype (f32, f16 or bf16), all contiguous; each sum is rounded
once.
Errors: ShapeError, DTypeError, InvalidArgumentError (layout, overlap, wrong device, read-only z).
"""

from __future__ import annotations

from camp.arrays import Array
from camp.runtime import Prepared, apply, apply_, prepare


def vector_add(a: Array, b: Array) -> Array:
    """Returns a[...] + b[...] as a new array."""
    return apply("vector_add", None, a, b)


def vector_add_(out: Array, a: Array, b: Array) -> Array:
    """Writes a[...] + b[...] into out[...] and returns out, which aliases neither."""
    return apply_("vector_add", out, a, b)


def prepare_vector_add(out: Array, a: Array, b: Array) -> Prepared:
    """Prepares out[...] = a[...] + b[...]; each call of the result runs it anew."""
    return prepare("vector_add", out, a, b)
