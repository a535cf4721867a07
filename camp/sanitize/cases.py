"""sanitize.cases: which graded cases run under a checker that makes kernels many times slower."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from camp.apart_plan import PlannedCase, PlannedTensor
from camp.grading.case import Case, Problem, Tensor
from camp.grading.dtypes import dtype_of
from camp.grading.suite import select

MOST_CASES = 24
_MOST_ELEMENTS = 1 << 17


def choose(cases: Sequence[Case], seed: int) -> list[tuple[Case, Problem]]:
    """Up to MOST_CASES small ordinary cases, evenly spread over the list, and their problems."""
    ordinary = [
        case
        for case in select(cases, backend="nvidia", opt_in=frozenset())
        if case.misuse is None and not case.interleave
    ]
    drawn = ((case, case.draw(case.generator(seed))) for case in ordinary)
    small = [(case, problem) for case, problem in drawn if problem.elements <= _MOST_ELEMENTS]
    count = min(MOST_CASES, len(small))
    # The first and the last of the list are among them.
    return [small[round(i * (len(small) - 1) / max(count - 1, 1))] for i in range(count)]


def planned(case: Case, problem: Problem) -> PlannedCase:
    """The case as the worker runs it: every tensor with the bytes it has in memory."""
    tensors = tuple(_tensor(problem, tensor) for tensor in problem.tensors)
    return PlannedCase(case.id, tensors, problem.attributes)


def _tensor(problem: Problem, tensor: Tensor) -> PlannedTensor:
    dtype = dtype_of(tensor.dtype)
    return PlannedTensor(
        name=tensor.name,
        dtype=tensor.dtype,
        shape=tensor.shape,
        size_bytes=tensor.extent_bytes,
        strides=tensor.strides,
        shift_bytes=tensor.offset * dtype.bytes,
        values=_stored(problem, tensor) if tensor.role == "input" else None,
    )


def _stored(problem: Problem, tensor: Tensor) -> bytes:
    """An input as it lies in memory; what lies between its elements is 0."""
    dtype = dtype_of(tensor.dtype)
    memory = np.zeros(tensor.extent, dtype=dtype.storage)
    if tensor.elements:
        steps = tuple(step * dtype.bytes for step in tensor.steps)
        np.lib.stride_tricks.as_strided(memory, tensor.shape, steps)[...] = problem.inputs[
            tensor.name
        ]
    return memory.tobytes()
