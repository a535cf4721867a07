"""verify: holds outputs of a measured call against answers computed from the seed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from camp.bench.cases import BenchCase
from camp.bench.data import Storage, base_values, set_values
from camp.spec import OpSpec

if TYPE_CHECKING:
    from camp.grading.oracle import Expectation

WINDOW_BYTES = 1 << 20


@dataclass(frozen=True)
class Answer:
    """What the first output of one buffer set must hold: in some leading rows of it, or in all."""

    output: str
    rows: tuple[slice, ...]
    expected: tuple[Expectation, ...]

    def wrong(self, parts: Sequence[Storage]) -> str:
        """What is wrong with these parts of the output, one for each of `rows`, in a sentence; ""
        when all are right."""
        from camp.grading.compare import compare, describe
        from camp.grading.verdict import Verdict

        for expectation, part in zip(self.expected, parts, strict=True):
            comparison = compare(expectation, part, None)
            if comparison.verdict is not Verdict.PASS:
                return describe(self.output, expectation, part, comparison)
        return ""


def answer(module: ModuleType, spec: OpSpec, case: BenchCase, seed: int, index: int) -> Answer:
    """The answer for buffer set `index`. module: tests/bench/<op>.py.

    Of large tensors only some rows are looked at: the first, the last, and some drawn now.
    """
    defaults = {attribute.name: attribute.default for attribute in spec.attributes}
    attributes = {**defaults, **case.attributes}
    rows = windows(case)
    bases = {tensor.name: base_values(case, tensor.name, seed) for tensor in spec.inputs}
    expected = []
    for window in rows:
        inputs = {
            name: set_values(case, name, seed, index, window, base) for name, base in bases.items()
        }
        expected.append(module.expected(inputs, case.dtype, attributes))
    return Answer(spec.outputs[0].name, tuple(rows), tuple(expected))


def windows(case: BenchCase) -> list[slice]:
    """Ranges of leading rows. Rows are left out only where all tensors share the leading axis."""
    leading = {shape[0] if shape else -1 for shape in case.shapes.values()}
    rows = leading.pop()
    if leading or rows <= 0:
        return [slice(None)]
    row_bytes = max(case.bytes_of(name) for name in case.shapes) // rows
    count = max(1, WINDOW_BYTES // max(row_bytes, 1))
    if rows <= 4 * count:
        return [slice(None)]
    middle = secrets.randbelow(rows - count)
    return [slice(start, start + count) for start in (0, middle, rows - count)]
