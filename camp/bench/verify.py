"""verify: holds outputs of a measured call against answers computed here, from the seed."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from types import ModuleType

from camp.bench.cases import BenchCase
from camp.bench.data import Storage, set_values
from camp.spec import OpSpec

WINDOW_BYTES = 4 << 20


def difference(
    module: ModuleType, spec: OpSpec, case: BenchCase, seed: int, index: int, got: Storage
) -> str:
    """What is wrong with the first output of buffer set `index`, in a sentence; "" when right.

    module: tests/bench/<op>.py. got: a storage array in the output's shape. Of large tensors only
    some rows are looked at: the first, the last, and some that are drawn now.
    """
    inputs = {tensor.name: set_values(case, tensor.name, seed, index) for tensor in spec.inputs}
    for window in windows(case):
        part = {name: values[window] for name, values in inputs.items()}
        sentence = _compare(module, spec, case, part, got[window] if got.shape else got)
        if sentence:
            return sentence
    return ""


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


def _compare(
    module: ModuleType,
    spec: OpSpec,
    case: BenchCase,
    inputs: Mapping[str, Storage],
    got: Storage,
) -> str:
    from camp.grading.compare import compare, describe
    from camp.grading.verdict import Verdict

    defaults = {attribute.name: attribute.default for attribute in spec.attributes}
    expectation = module.expected(inputs, case.dtype, {**defaults, **case.attributes})
    comparison = compare(expectation, got, None)
    if comparison.verdict is Verdict.PASS:
        return ""
    return describe(spec.outputs[0].name, expectation, got, comparison)
