"""finding: what a recogniser looks at and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from camp.grading.case import Problem
from camp.grading.compare import Comparison
from camp.grading.dtypes import Array, Float64, to_float64
from camp.grading.oracle import Expectation
from camp.grading.verdict import Verdict


@dataclass(frozen=True)
class Finding:
    """A recognised pattern: what is seen, one next step, and a better verdict where it knows."""

    text: str
    advice: str
    verdict: Verdict | None = None


@dataclass(frozen=True)
class Output:
    """A failed output with everything known of it."""

    problem: Problem
    name: str
    expectation: Expectation
    got: Array
    outcome: Comparison

    @property
    def value(self) -> Float64:
        return to_float64(self.got, self.expectation.dtype)

    @property
    def wanted(self) -> Float64:
        return to_float64(self.expectation.shown(), self.expectation.dtype)

    def input(self, position: int = 0) -> Float64:
        """The values of an input, by its place among the inputs."""
        names = [t for t in self.problem.tensors if t.role == "input"]
        tensor = names[position]
        return to_float64(self.problem.inputs[tensor.name], tensor.dtype)


def span(first: int, last: int) -> str:
    """`element 4` or `elements 4..6`, both ends included."""
    return f"element {first}" if first == last else f"elements {first}..{last}"


def suffix_start(mask: Sequence[bool] | np.ndarray) -> int | None:
    """k when the mask is False before k and True from k on; None for any other mask."""
    flat = np.asarray(mask, dtype=np.bool_).reshape(-1)
    if not flat.any():
        return None
    first = int(np.argmax(flat))
    return first if bool(flat[first:].all()) else None
