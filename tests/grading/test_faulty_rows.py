"""Rows of tests/faulty/rows.toml of which a verdict on a kernel shows too little."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camp.errors import ToolchainError
from camp.grading.arena import lay_out, view_of
from camp.grading.case import Case
from camp.grading.compare import compare
from camp.grading.dtypes import from_float64, to_float64
from camp.grading.faults import Report
from camp.grading.judge import unusual_ending
from camp.grading.oracle import softmax_output
from camp.grading.prepared import Prepared, schedule_seeds
from camp.grading.suite import load_cases
from camp.grading.verdict import Verdict
from camp.spec import operator_ids
from camp.workspace import Workspace
from tests.grading.faulty import FAULTS, SEED, Libraries, grader_of, kernel

ROOT = Workspace.find(Path(__file__)).root


def case_of(op: str, case_id: str) -> Case:
    return next(case for case in load_cases(ROOT, op) if case.id == case_id)


def task(op: str) -> str:
    """The header of an operator's kernel file, its lines joined."""
    lines = (ROOT / "ops" / op / "nvidia" / "kernel.cuh").read_text().splitlines()
    header = lines[: lines.index("#pragma once")]
    return " ".join(line.removeprefix("//").strip() for line in header)


def outputs(fault: dict[str, Any], libraries: Libraries, *, fixed: bool) -> set[bytes]:
    """What the launches of one problem store under several schedules."""
    case = case_of(fault["op"], "f32-rows=5-cols=1000")
    problem = case.draw(case.generator(SEED))
    seen = set()
    with grader_of(fault, libraries[kernel(fault, fixed=fixed)]) as grader:
        grader.ready(lay_out([problem], [0]).used_bytes)
        with Prepared(grader, [problem]) as prepared:
            tensor, span = prepared.layout.tensors[0, "y"]
            for seed in schedule_seeds(SEED, case.id, 8):
                ran = prepared.run(prepared.image([problem], 0), [prepared.call(0)], seed=seed)
                seen.add(view_of(ran.after, span, tensor).tobytes())
    return seen


def test_repeating_shows_what_no_detector_saw(libraries: Libraries) -> None:
    """A GPU has no detector of races: there the same values are launched again and compared."""
    fault = next(f for f in FAULTS if f["slug"] == "buffer_reused_by_next_row")
    assert len(outputs(fault, libraries, fixed=False)) > 1
    assert len(outputs(fault, libraries, fixed=True)) == 1


def test_the_reference_of_many_ones_is_exact() -> None:
    case = case_of("reduce_sum", "f32-17*2^20-ones")
    (wanted,) = case.oracle(case.draw(case.generator(SEED))).values()
    assert wanted.exact.dtype == np.float64
    assert wanted.exact == 17 << 20
    assert np.float32(1 << 24) + np.float32(1) == np.float32(1 << 24)  # why float32 would not do


def test_the_task_states_its_rule() -> None:
    assert "A row of -inf only, or one that holds a NaN, becomes NaN" in task("softmax")
    x = np.array([[-np.inf, -np.inf], [1.0, 2.0], [np.nan, 0.0]])
    wanted = softmax_output(x, "f32")
    right = wanted.shown()
    assert compare(wanted, right, None).verdict is Verdict.PASS
    for row, value in ((0, 0.0), (0, 0.5), (1, np.nan), (2, 1.0)):
        wrong = right.copy()
        wrong[row] = value
        assert compare(wanted, wrong, None).verdict is Verdict.SPECIAL


def test_no_case_holds_what_the_task_leaves_open() -> None:
    assert "+inf is not provided for" in task("softmax")
    for case in load_cases(ROOT, "softmax"):
        if case.marks or case.most_blocks:
            continue
        problem = case.draw(case.generator(SEED))
        if problem.tensor("x").dtype == "f64":
            continue
        x = to_float64(problem.inputs["x"], problem.tensor("x").dtype)
        assert not np.isposinf(x).any(), case.id


def test_either_zero_is_accepted() -> None:
    case = case_of("relu", "f32-special-values")
    problem = case.draw(case.generator(SEED))
    (wanted,) = case.oracle(problem).values()
    right = wanted.shown()
    zeros = right == 0
    assert zeros.any()
    for zero in (0.0, -0.0):
        got = np.where(zeros, from_float64(np.array(zero), "f32"), right)
        assert compare(wanted, got, None).verdict is Verdict.PASS


@pytest.mark.parametrize(
    "name", ["cudaErrorNoKernelImageForDevice", "cudaErrorUnsupportedPtxVersion"]
)
def test_missing_code_for_the_gpu_is_not_the_kernels_fault(name: str) -> None:
    text = f"copy: the device refused the launch: no kernel image is available ({name})"
    with pytest.raises(ToolchainError, match="no code that this GPU can run") as raised:
        unusual_ending("f32-n=1", "LAUNCH_FAILED", text, Report())
    assert raised.value.hint is not None
    assert "CMAKE_CUDA_ARCHITECTURES" in raised.value.hint
    other = text.replace(name, "cudaErrorInvalidConfiguration")
    result = unusual_ending("f32-n=1", "LAUNCH_FAILED", other, Report())
    assert result is not None
    assert result.verdict is Verdict.LAUNCH


def test_tensors_of_a_case_never_overlap() -> None:
    ops = operator_ids(ROOT)
    assert len(ops) >= 5
    for op in ops:
        assert "overlap" in task(op), op
        for case in load_cases(ROOT, op):
            if case.marks:
                continue
            problem = case.draw(case.generator(SEED))
            spans = sorted(lay_out([problem], [64]).spans, key=lambda span: span.start)
            assert all(a.end < b.start for a, b in itertools.pairwise(spans)), case.id


def test_a_pitch_is_refused() -> None:
    assert "row-major" in task("softmax")
    case = case_of("softmax", "strided-x")
    assert case.misuse is not None
    assert case.misuse.status == "UNSUPPORTED_LAYOUT"
    x = case.draw(case.generator(SEED)).tensor("x")
    assert x.steps[0] > x.shape[1]
