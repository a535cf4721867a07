"""Huge tensors are judged a period at a time with the same outcome as all at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from camp.grading import repeated as module
from camp.grading.building import drawn, input_, output
from camp.grading.case import Problem
from camp.grading.compare import compare
from camp.grading.dtypes import to_float64
from camp.grading.oracle import Expectation, softmax_output
from camp.grading.repeated import repeated, repeating
from camp.grading.values import normal
from camp.grading.verdict import Verdict

PERIOD = 30
ROWS = 2 * PERIOD + 5


def expect(problem: Problem) -> Mapping[str, Expectation]:
    return {"y": softmax_output(to_float64(problem.inputs["x"], "f32"), "f32")}


def test_periods_are_judged_like_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PERIOD_ELEMENTS", PERIOD * 7 + 1)
    tensors = [output("y", "f32", (ROWS, 7)), input_("x", "f32", (ROWS, 7))]
    problem = drawn(tensors, repeating(normal()))(np.random.default_rng(3))
    x = problem.inputs["x"]
    assert np.array_equal(x[:PERIOD], x[PERIOD : 2 * PERIOD])
    assert not np.array_equal(x[0], x[1])
    whole, parts = expect(problem)["y"], repeated(expect)(problem)["y"]
    right = whole.shown()
    assert np.array_equal(parts.shown(), right)
    assert compare(parts, right, None).verdict is Verdict.PASS
    for row in (0, PERIOD, ROWS - 1):
        wrong = right.copy()
        wrong[row, 3] *= 2
        outcome = compare(parts, wrong, None)
        assert outcome.verdict is Verdict.WRONG
        assert outcome.first == (row, 3)
        assert outcome.count == 1
