"""elements: patterns of outputs whose elements stand alone (copy, vector_add, relu, any)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from camp.grading.dtypes import dtype_of
from camp.grading.patterns.finding import Finding, Output, span, suffix_start
from camp.grading.verdict import Verdict


def element_findings(output: Output) -> Iterator[Finding]:
    value, wanted = output.value.reshape(-1), output.wanted.reshape(-1)
    bad = output.outcome.bad.reshape(-1)
    if value.size > 2:
        yield from _whole(output, value, wanted)
        yield from _shifted(value, wanted)
    yield from _special(output, value, wanted, bad)
    yield from _where(bad)


def _whole(output: Output, value: np.ndarray, wanted: np.ndarray) -> Iterator[Finding]:
    name = output.name
    if bool(np.isnan(value).all()):
        yield Finding(f"{name} is NaN everywhere", "print the first operands inside the kernel")
    elif bool((value == value[0]).all()):
        same = "0" if value[0] == 0 else f"{value[0]:.6g}"
        yield Finding(
            f"{name} is {same} everywhere", "check that the result, not a constant, is stored"
        )
    for tensor in (t for t in output.problem.tensors if t.role == "input"):
        x = output.problem.inputs[tensor.name]
        if x.shape == output.got.shape and x.tobytes() == output.got.tobytes():
            yield Finding(
                f"{name} is a copy of {tensor.name}", "store the computed value, not the input"
            )
    if np.array_equal(value[::-1], wanted):
        yield Finding(f"{name} is in reverse order", "check the index of the store")


def _shifted(value: np.ndarray, wanted: np.ndarray) -> Iterator[Finding]:
    for shift in (1, 2, 3, 4):
        if value.size <= 2 * shift:
            break
        for text, a, b in (
            (f"element i holds what belongs at i+{shift}", value[:-shift], wanted[shift:]),
            (f"element i holds what belongs at i-{shift}", value[shift:], wanted[:-shift]),
        ):
            if np.array_equal(a, b):
                yield Finding(text, "check the index arithmetic of load against that of store")


def _special(
    output: Output, value: np.ndarray, wanted: np.ndarray, bad: np.ndarray
) -> Iterator[Finding]:
    lost = bad & np.isnan(wanted) & ~np.isnan(value)
    if lost.any():
        yield Finding(
            f"a NaN input gave {value[int(np.argmax(lost))]:g}; NaN must stay NaN",
            "fmaxf and comparisons drop NaN: write x > 0 ? x : ... so that a NaN takes x's path",
            Verdict.SPECIAL,
        )
    if output.outcome.verdict is Verdict.PRECISION:
        kind = dtype_of(output.expectation.dtype).name
        if kind == "f32":
            yield Finding(
                "the values are rounded to fewer digits than float32 has",
                "keep float in registers; no half, no fast approximations",
            )


def _where(bad: np.ndarray) -> Iterator[Finding]:
    start = suffix_start(bad)
    if start:
        yield Finding(
            f"only {span(start, bad.size - 1)} are wrong: the tail",
            "look at the last, partly filled block or vector",
        )
    count = int(bad.sum())
    if count == 1:
        yield Finding(f"only element {int(np.argmax(bad))} is wrong", "look at the ends of loops")
