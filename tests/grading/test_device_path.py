"""Tensors go over a device's own memory and back: a runtime that has one, without a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camp.grading.building import drawn, input_, output
from camp.grading.case import Case, Misuse, Problem
from camp.grading.grader import Grader
from camp.grading.oracle import Expectation, exact_output
from camp.grading.pytest_support import KernelUnderTest
from camp.grading.suite import select
from camp.grading.values import normal
from camp.grading.verdict import Verdict

TENSORS = [
    output("y", "f32", (1000,), strides=(1,), offset=1),
    input_("x", "f32", (1000,), strides=(1,), offset=3),
]


def twice(problem: Problem) -> Mapping[str, Expectation]:
    return {"y": exact_output(2.0 * problem.inputs["x"].astype(np.float64), "f32")}


def case(case_id: str, attributes: dict[str, float | int] | None = None, **fields: Any) -> Case:
    return Case(case_id, drawn(TENSORS, normal(), attributes), twice, **fields)


@pytest.fixture
def grader(fake_build: Callable[..., Path]) -> Iterator[Grader]:
    folder = fake_build(runtime={"FAKE_BACKEND": '"nvidia"'})
    with Grader("scale", backend="nvidia", seed=3) as made:
        made.use(folder / "libcamp_runtime.so", folder / "libcamp_op_scale.so")
        yield made


def test_results_come_back(grader: Grader) -> None:
    result = grader.grade(case("plain"))
    assert result.verdict is Verdict.PASS, result.message
    assert grader.grade(case("two", interleave=True)).verdict is Verdict.PASS


def test_nothing_is_counted_on_a_device(grader: Grader) -> None:
    assert grader.grade(case("large", traffic=True)).verdict is Verdict.PASS
    assert grader.counted is None


def test_a_sampled_launch_is_left_to_the_simulator() -> None:
    sampled = case("sampled", most_blocks=8)
    plain = case("plain")
    assert select([plain, sampled], backend="nvidia", opt_in=frozenset()) == [plain]
    kernel = KernelUnderTest.__new__(KernelUnderTest)  # without a build: check must not get there
    kernel.backend = "nvidia"
    with pytest.raises(pytest.skip.Exception, match="only the simulator"):
        kernel.check(sampled)


def test_cases_for_a_gpu_run_there_and_large_ones_when_asked_for() -> None:
    kinds = (("gpu",), ("gpu", "large"))
    marked = [case("marked", marks=frozenset(marks)) for marks in kinds]
    assert select(marked, backend="sim", opt_in=frozenset({"gpu", "large"})) == []
    assert select(marked, backend="nvidia", opt_in=frozenset()) == marked[:1]
    assert select(marked, backend="nvidia", opt_in=frozenset({"large"})) == marked


def test_wrong_results_come_back_too(grader: Grader) -> None:
    result = grader.grade(case("tripled", {"factor": 3.0}))
    assert result.verdict is Verdict.WRONG
    assert "1000 of 1000 wrong" in result.message


def test_workspace_is_passed_and_may_be_written(grader: Grader) -> None:
    result = grader.grade(case("workspace", {"workspace_bytes": 5000}))
    assert result.verdict is Verdict.PASS, result.message
    misuse = Misuse("WORKSPACE_TOO_SMALL", short_workspace=True)
    result = grader.grade(case("short", {"workspace_bytes": 5000}, misuse=misuse))
    assert result.verdict is Verdict.PASS, result.message


def test_statuses_are_verdicts(grader: Grader) -> None:
    launch = grader.grade(case("refused", {"execute_status": 10}))
    assert launch.verdict is Verdict.LAUNCH
    error = grader.grade(case("device", {"execute_status": 12}))
    assert error.verdict is Verdict.CRASH
    created = grader.grade(case("create", {"create_status": 8}))
    assert created.verdict is Verdict.WRONG
    assert "create was told to fail" in created.message
    assert grader.grade(case("after", {})).verdict is Verdict.PASS


def test_larger_arenas_are_made_when_needed(grader: Grader) -> None:
    wide = [
        output("y", "f32", (9_000_000,), strides=(1,)),
        input_("x", "f32", (9_000_000,), strides=(1,)),
    ]
    large = Case("large", drawn(wide, normal()), twice, runs=1)
    assert grader.grade(large).verdict is Verdict.PASS
    spacious = grader.grade(case("spacious", {"workspace_bytes": 200 << 20}, runs=1))
    assert spacious.verdict is Verdict.PASS, spacious.message
    greedy = grader.grade(case("greedy", {"workspace_bytes": 5 << 30}))
    assert greedy.verdict is Verdict.WRONG
    assert "workspace" in greedy.message
