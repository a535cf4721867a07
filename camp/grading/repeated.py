"""repeated: tensors of more than 2^31 elements, made of the same rows over and over.

Their references are computed for one period, and outputs are judged a period at a time, so that
memory stays at a small multiple of the tensors themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from camp.grading.case import Oracle, Problem, Tensor
from camp.grading.dtypes import Array, Float64
from camp.grading.oracle import Expectation, Mask
from camp.grading.values import Rng, Shape, Values
from camp.grading.verdict import Verdict

PERIOD_ELEMENTS = 1 << 22


def period_of(shape: Shape) -> int:
    """Entries of the first axis after which the values of an input begin again."""
    inner = int(np.prod(shape[1:], dtype=np.int64))
    return min(shape[0], max(1, PERIOD_ELEMENTS // inner))


def repeating(values: Values) -> Values:
    """`values` for one period of the first axis, then the same again."""

    def draw(rng: Rng, shape: Shape, dtype: str) -> Array:
        return np.resize(values(rng, (period_of(shape), *shape[1:]), dtype), shape)

    return draw


def repeated(oracle: Oracle) -> Oracle:
    """An oracle for problems drawn with `repeating`, from one for their first period."""

    def judge(problem: Problem) -> Mapping[str, Expectation]:
        period = period_of(next(t for t in problem.tensors if t.role == "input").shape)
        first = Problem(
            tuple(replace(t, shape=(period, *t.shape[1:])) for t in problem.tensors),
            {name: values[:period] for name, values in problem.inputs.items()},
            problem.attributes,
        )
        return {
            name: _Repeated.of(expectation, problem.tensor(name))
            for name, expectation in oracle(first).items()
        }

    return judge


@dataclass(frozen=True)
class _Repeated(Expectation):
    """`one` is the expectation of a period; `exact` has the full shape but takes no memory."""

    one: Expectation = field(default_factory=lambda: Expectation("f32", np.zeros(())))

    @classmethod
    def of(cls, one: Expectation, tensor: Tensor) -> _Repeated:
        nothing: Float64 = np.broadcast_to(np.float64(0.0), tensor.shape)
        return cls(one.dtype, nothing, one)

    @property
    def period(self) -> int:
        return int(self.one.exact.shape[0])

    def accepts(self, got: Array) -> Mask:
        right: Mask = np.zeros(got.shape, dtype=np.bool_)
        for start in range(0, got.shape[0], self.period):
            part = got[start : start + self.period]
            whole = np.concatenate([part, self.one.shown()[part.shape[0] :]])
            right[start : start + self.period] = self.one.accepts(whole)[: part.shape[0]]
        return right

    def slip(self, got: Array, bad: Mask) -> Verdict:
        row = int(np.argmax(bad.reshape(bad.shape[0], -1).any(axis=1)))
        start = row // self.period * self.period
        part, mask = got[start : start + self.period], bad[start : start + self.period]
        rest = self.one.shown()[part.shape[0] :]
        none: Mask = np.zeros(rest.shape, dtype=np.bool_)
        return self.one.slip(np.concatenate([part, rest]), np.concatenate([mask, none]))

    def shown(self) -> Array:
        return np.resize(self.one.shown(), self.exact.shape)
