"""diagnose: extra launches that tell apart faults which look alike in a poisoned output."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from camp.grading.arena import view_of
from camp.grading.dtypes import to_float64
from camp.grading.judge import Launch
from camp.grading.oracle import Sum
from camp.grading.prepared import Prepared
from camp.grading.result import CaseResult
from camp.grading.verdict import Verdict

_DOUBTFUL = (Verdict.UNWRITTEN, Verdict.SPECIAL, Verdict.UNINIT, Verdict.WRONG)


def adds_to_output(prepared: Prepared, launch: Launch, seen: CaseResult) -> CaseResult | None:
    """A kernel that adds to an output nobody cleared gives NaN in a poisoned one, which looks like
    a store that never happened. Two launches into a zeroed output give the sum, then twice the sum.
    """
    sums = {name: e for name, e in launch.expectations.items() if isinstance(e, Sum)}
    if len(sums) != 1 or seen.verdict not in _DOUBTFUL or launch.slot != 0:
        return None
    ((name, expectation),) = sums.items()
    tensor, span = launch.layout.tensors[0, name]
    image = launch.before.copy()
    image[span.start : span.end] = 0
    stored = []
    for _ in range(2):
        image = prepared.run(image, [prepared.call(0)]).after
        stored.append(view_of(image, span, tensor).copy())
    once = expectation.accepts(stored[0])
    slack = 0.02 * np.abs(expectation.exact) + 1e-30
    second = to_float64(stored[1], tensor.dtype)
    twice = np.abs(second - 2 * expectation.exact) <= slack
    if not tensor.elements or not bool(once.all() and twice.all()):
        return None
    return replace(
        seen,
        verdict=Verdict.WRONG,
        message=f"on run 2 the result is 2x the sum: {name} is added to and never cleared",
        advice="zero the output inside your launcher before anything is added to it",
    )
