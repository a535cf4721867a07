"""case: what one graded case is made of. tests/cases/<op>.py writes lists of these.

A case draws its problem from a generator that the parent seeds at run time, so no answer can be
known beforehand; the shapes of most cases are fixed, their values never are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from camp.grading.dtypes import Array, dtype_of

if TYPE_CHECKING:
    from camp.grading.oracle import Expectation


@dataclass(frozen=True)
class Tensor:
    """One argument of an operator.

    strides: elements, as in the C API; None is row-major contiguous.
    offset: elements between a 256-byte boundary and the pointer that the kernel gets.
    """

    name: str
    role: str  # "input" or "output"
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    offset: int = 0

    @property
    def elements(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def steps(self) -> tuple[int, ...]:
        """The strides in elements, also where they were left out."""
        if self.strides is not None:
            return self.strides
        steps: list[int] = []
        step = 1
        for extent in reversed(self.shape):
            steps.append(step)
            step *= max(extent, 1)
        return tuple(reversed(steps))

    @property
    def extent(self) -> int:
        """Elements from the first to past the last one in memory."""
        if self.elements == 0:
            return 0
        return 1 + sum((n - 1) * s for n, s in zip(self.shape, self.steps, strict=True))

    @property
    def extent_bytes(self) -> int:
        return self.extent * dtype_of(self.dtype).bytes


@dataclass(frozen=True)
class Problem:
    """Tensors in the operator's order, the values of the inputs (storage arrays of the logical
    shape) and the attributes by name (those left out keep their defaults)."""

    tensors: tuple[Tensor, ...]
    inputs: Mapping[str, Array]
    attributes: Mapping[str, float | int] = field(default_factory=dict)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        return tuple(t for t in self.tensors if t.role == "output")

    @property
    def elements(self) -> int:
        return sum(t.elements for t in self.tensors)

    def tensor(self, name: str) -> Tensor:
        return next(t for t in self.tensors if t.name == name)


@dataclass(frozen=True)
class Misuse:
    """A wrong call that must be answered by a status and leave memory untouched.

    null: the tensor whose pointer is null. short_workspace: pass one byte less than asked.
    """

    status: str
    null: str | None = None
    short_workspace: bool = False


Draw = Callable[[np.random.Generator], Problem]
Oracle = Callable[[Problem], "Mapping[str, Expectation]"]


def no_oracle(problem: Problem) -> Mapping[str, Expectation]:
    """For misuse: there is nothing to compute."""
    return {}


@dataclass(frozen=True)
class Case:
    """One case. `id` is the pytest id and names it everywhere.

    runs: launches graded; on `sim` each has its own schedule, and the last one new input values.
    interleave: two prepared operators on two streams take turns.
    traffic: the case whose counters are shown.
    cut_after_s: on `sim`, end the launch after so long and grade what is there: for cases whose
        point is that the launch is accepted. Other launches have a limit from their elements, and
        hang beyond it.
    most_blocks: on `sim`, run only so many blocks of a launch, the last ones of the grid among
        them, on tensors that exist as addresses only, and grade where the kernel reaches, not its
        values: for tensors of more than 2^31 elements. 0: an ordinary case.
    marks: "large" (more than a few seconds or GiB on `sim`) is opt-in; "gpu" is for `nvidia` alone.
    """

    id: str
    draw: Draw
    oracle: Oracle = no_oracle
    misuse: Misuse | None = None
    runs: int = 3
    interleave: bool = False
    traffic: bool = False
    cut_after_s: float | None = None
    most_blocks: int = 0
    marks: frozenset[str] = frozenset()

    def generator(self, seed: int, draw: int = 0) -> np.random.Generator:
        """The generator of this case's values: the same for the same seed, case and draw."""
        return np.random.default_rng([seed, draw, *self.id.encode()])
