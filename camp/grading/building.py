"""building: short ways to write cases; tests/cases/<op>.py is made of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from camp.grading.case import Case, Draw, Misuse, Oracle, Problem, Tensor
from camp.grading.dtypes import Array, dtype_of
from camp.grading.values import Values

# Around warps, blocks and vectors; the last are 2 * block * k + 1 and 512 blocks of 256 plus one.
EDGE_SIZES = (1, 2, 3, 5, 7, 31, 32, 33, 48, 63, 65, 90, 255, 256, 257, 513, 1000, 1023, 1024,
              1025, 1537, 4097, 4098, 4099, 131073)  # fmt: skip
LARGE_SIZE = (1 << 20) + 3
EDGE_COLUMNS = (1, 2, 3, 11, 17, 31, 32, 33, 48, 1023, 1025, 4097, 12289, 32769)
# Elements that the pointers of output and inputs lie past a 256-byte boundary.
OFFSETS = ((0, 1), (1, 0), (1, 1), (2, 2), (3, 3), (1, 2), (3, 0))


def output(
    name: str,
    dtype: str,
    shape: Sequence[int],
    *,
    strides: Sequence[int] | None = None,
    offset: int = 0,
) -> Tensor:
    """An output tensor."""
    steps = None if strides is None else tuple(strides)
    return Tensor(name, "output", dtype, tuple(shape), steps, offset)


def input_(
    name: str,
    dtype: str,
    shape: Sequence[int],
    *,
    strides: Sequence[int] | None = None,
    offset: int = 0,
) -> Tensor:
    """An input tensor."""
    return replace(output(name, dtype, shape, strides=strides, offset=offset), role="input")


def drawn(
    tensors: Sequence[Tensor],
    values: Values,
    attributes: Mapping[str, float | int] | None = None,
) -> Draw:
    """A draw with fixed tensors; every input gets `values`."""

    def draw(rng: np.random.Generator) -> Problem:
        inputs = {t.name: _values(rng, t, values) for t in tensors if t.role == "input"}
        return Problem(tuple(tensors), inputs, attributes or {})

    return draw


def _values(rng: np.random.Generator, tensor: Tensor, values: Values) -> Array:
    """Values of a tensor; along an axis of stride 0 there is but one."""
    distinct = tuple(
        min(extent, 1) if step == 0 else extent
        for extent, step in zip(tensor.shape, tensor.steps, strict=True)
    )
    return np.broadcast_to(values(rng, distinct, tensor.dtype), tensor.shape)


def sampled(
    case_id: str, tensors: Sequence[Tensor], *, cut_after_s: float = 1.0, **fields: Any
) -> Case:
    """A case of which a few blocks are run (Case.most_blocks); its inputs hold no values."""

    def draw(rng: np.random.Generator) -> Problem:
        inputs = {
            t.name: np.broadcast_to(np.zeros((), dtype_of(t.dtype).storage), t.shape)
            for t in tensors
            if t.role == "input"
        }
        return Problem(tuple(tensors), inputs)

    return Case(case_id, draw, most_blocks=8, cut_after_s=cut_after_s, **fields)


def misuse_cases(tensors: Sequence[Tensor], wrong: Mapping[str, tuple[str, Any]]) -> list[Case]:
    """Calls to be refused: a null pointer for every tensor, a workspace one byte short, and each
    entry of `wrong`: id -> (status, changed tensors)."""

    def zeros(changed: Sequence[Tensor]) -> Draw:
        def draw(rng: np.random.Generator) -> Problem:
            inputs = {
                t.name: np.zeros(t.shape, dtype_of(t.dtype).storage)
                for t in changed
                if t.role == "input"
            }
            return Problem(tuple(changed), inputs)

        return draw

    cases = [
        Case(f"null-{t.name}", zeros(tensors), misuse=Misuse("INVALID_ARGUMENT", null=t.name))
        for t in tensors
    ]
    short = Misuse("WORKSPACE_TOO_SMALL", short_workspace=True)
    cases.append(Case("short-workspace", zeros(tensors), misuse=short))
    for case_id, (status, changed) in wrong.items():
        cases.append(Case(case_id, zeros(changed), misuse=Misuse(status)))
    return cases


def changed(tensors: Sequence[Tensor], name: str, **fields: Any) -> list[Tensor]:
    """The same tensors, one of them with other fields."""
    return [replace(t, **fields) if t.name == name else t for t in tensors]


def all_of(tensors: Sequence[Tensor], **fields: Any) -> list[Tensor]:
    """The same tensors, each with other fields."""
    return [replace(t, **fields) for t in tensors]


def with_oracle(oracle: Oracle, *cases: Case) -> list[Case]:
    """Cases that share an oracle."""
    return [replace(case, oracle=oracle) for case in cases]
