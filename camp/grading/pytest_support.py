"""pytest_support: the tests of tests/op_tests/test_<op>.py, so that those files stay two lines.

    test_kernel, test_solution = operator_tests("copy")

test_kernel grades the learner's file and is skipped while that is the untouched scaffold;
test_solution grades exercises/<op>/solution/kernel.cuh, which must pass everything.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from camp.errors import BuildError
from camp.exercises import first_todo, is_untouched, solution_path
from camp.grading.case import Case
from camp.grading.check import build_kernel, runtime_library
from camp.grading.grader import Grader
from camp.grading.prepared import draw_seed
from camp.grading.result import CaseResult
from camp.grading.suite import load_cases, runs_on
from camp.grading.symbols import Symbols
from camp.workspace import Workspace

Test = Callable[..., None]


def opted_in() -> frozenset[str]:
    """Marks asked for, as with CAMP_TEST_MARKS=large."""
    words = os.environ.get("CAMP_TEST_MARKS", "").replace(",", " ").split()
    return frozenset(words)


class KernelUnderTest:
    """A kernel file of one operator, built on first use, graded by one worker."""

    def __init__(self, ws: Workspace, op: str, kernel: Path | None) -> None:
        self.op = op
        self.backend = ws.backend()
        seed = os.environ.get("CAMP_TEST_SEED", "")
        self.grader = Grader(op, backend=self.backend, seed=int(seed) if seed else draw_seed())
        self.failure = ""
        try:
            self.grader.start()
            library = build_kernel(ws, op, self.backend, kernel)
            self.grader.use(runtime_library(ws, self.backend), library, Symbols(library))
        except BuildError as error:
            lines = [error.message, *map(str, error.diagnostics)]
            self.failure = "BUILD: " + "\n".join(lines)

    def check(self, case: Case) -> None:
        """Fails the running test unless the case passes."""
        if not runs_on(case, self.backend):
            pytest.skip("a launch of which a few blocks are run: only the simulator does that")
        if "gpu" in case.marks and self.backend != "nvidia":
            pytest.skip("needs a GPU")
        missing = case.marks - opted_in() - {"gpu"}
        if missing:
            pytest.skip(f"opt in with CAMP_TEST_MARKS={','.join(sorted(missing))}")
        if self.failure:
            pytest.fail(self.failure, pytrace=False)
        if self.grader.gave_up:
            pytest.fail("not run: earlier cases hung or crashed", pytrace=False)
        result = self.grader.grade(case)
        if not result.passed:
            pytest.fail(describe(result, self.grader.seed), pytrace=False)


def describe(result: CaseResult, seed: int) -> str:
    """A failed case in a few lines."""
    lines = [f"{result.verdict.value}: {result.message}"]
    if result.location:
        lines.append(f"  at {result.location}")
    if result.advice:
        lines.append(f"  next: {result.advice}")
    if result.output:
        lines.append(f"  it printed: {result.output}")
    lines.append(f"  repeat with CAMP_TEST_SEED={seed}")
    return "\n".join(lines)


class Kernels:
    """The kernels under test of a pytest run: each is built and started once."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, Path | None], KernelUnderTest] = {}

    def get(self, ws: Workspace, op: str, kernel: Path | None) -> KernelUnderTest:
        key = (op, kernel)
        if key not in self._made:
            self._made[key] = KernelUnderTest(ws, op, kernel)
        return self._made[key]

    def close(self) -> None:
        for kernel in self._made.values():
            kernel.grader.close()


def operator_tests(op: str) -> tuple[Test, Test]:
    """(test_kernel, test_solution), parametrised over the cases of the operator. They need the
    fixture `kernels` of tests/op_tests/conftest.py."""
    ws = Workspace.find(Path(__file__))
    cases = [pytest.param(case, id=case.id) for case in load_cases(ws.root, op)]
    untouched = is_untouched(ws.root, op)
    todo = first_todo(ws.root, op) if untouched else None
    reason = f"not started: ops/{op}/nvidia/kernel.cuh:{todo.line}" if todo else "not started"

    @pytest.mark.skipif(untouched, reason=reason)
    @pytest.mark.parametrize("case", cases)
    def test_kernel(case: Case, kernels: Kernels) -> None:
        kernels.get(ws, op, None).check(case)

    @pytest.mark.parametrize("case", cases)
    def test_solution(case: Case, kernels: Kernels) -> None:
        kernels.get(ws, op, solution_path(ws.root, op)).check(case)

    return test_kernel, test_solution
