"""verify: holds outputs of a measured call against answers computed here, from the seed."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

from camp.bench.cases import BenchCase
from camp.bench.data import Storage, set_values
from camp.spec import OpSpec

if TYPE_CHECKING:
    from camp.grading.oracle import Expectation

WINDOW_BYTES = 4 << 20


def difference(
    module: ModuleType, spec: OpSpec, case: BenchCase, seed: int, index: int, got: Storage
) -> str:
    """What is wrong with the first output of buffer set `index`, in a sentence; "" when right.

    module: tests/bench/<op>.py. got: a storage array in the output's shape. Of large tensors only
    some rows are looked at: the first, the last, and some that are drawn now.
    """
    return answer(module, spec, case, seed, index)(got)


def answer(
    module: ModuleType, spec: OpSpec, case: BenchCase, seed: int, index: int
) -> Callable[[Storage], str]:
    """Like `difference` for several outputs of one set, which are all held against the same rows:
    takes an output and says what is wrong with it."""
    inputs = {tensor.name: set_values(case, tensor.name, seed, index) for tensor in spec.inputs}
    defaults = {attribute.name: attribute.default for attribute in spec.attributes}
    attributes = {**defaults, **case.attributes}
    expected: list[tuple[slice, Expectation]] = []
    for window in windows(case):
        part = {name: values[window] for name, values in inputs.items()}
        expected.append((window, module.expected(part, case.dtype, attributes)))

    def wrong(got: Storage) -> str:
        for window, expectation in expected:
            part = got[window] if got.shape else got
            sentence = _compare(spec.outputs[0].name, expectation, part)
            if sentence:
                return sentence
        return ""

    return wrong


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


def _compare(output: str, expectation: Expectation, got: Storage) -> str:
    from camp.grading.compare import compare, describe
    from camp.grading.verdict import Verdict

    comparison = compare(expectation, got, None)
    if comparison.verdict is Verdict.PASS:
        return ""
    return describe(output, expectation, got, comparison)
