"""test_ladders: every step of every ladder passes all cases on the simulator without a report, and
its counters are those that its lesson shows; the rules for ladders find what they are there for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from camp import ladders
from camp.build import build_variants
from camp.counters.model import Counters
from camp.errors import BuildError
from camp.grading.check import runtime_library
from camp.grading.grader import Grader
from camp.grading.result import CaseResult
from camp.grading.suite import load_cases, select
from camp.grading.symbols import Symbols
from camp.spec import list_specs
from camp.workspace import Workspace

pytestmark = pytest.mark.slow

WS = Workspace.find(Path(__file__))
OPS = [spec.id for spec in list_specs(WS.root)]
STEPS = [(op, path) for op in OPS for path in ladders.steps(WS.root, op)]
VERSIONS = [(op, path) for op in OPS for path in ladders.ladder(WS.root, op)]
# 65536 blocks cost seconds; `camp check` grades it.
MANY_ROWS = "f32-rows=65536-cols=2"
Graded = tuple[list[CaseResult], Counters | None]


def name_of(value: object) -> str:
    return ladders.version_name(value) if isinstance(value, Path) else str(value)


@pytest.fixture(scope="module")
def graded() -> Callable[[str, Path], Graded]:
    """graded(op, path): the grades of a step, of a solution that of one case alone; and what was
    counted in the case marked for it. All versions are built in one go."""
    libraries = build_variants(WS, "sim", VERSIONS, keep_going=True)

    @functools.cache
    def grade(op: str, path: Path) -> Graded:
        library = libraries[op, path]
        if isinstance(library, BuildError):
            lines = [library.message, *map(str, library.diagnostics)]
            pytest.fail("\n".join(lines), pytrace=False)
        cases = select(load_cases(WS.root, op), backend="sim", opt_in=frozenset())
        if (op, path) not in STEPS:  # tests/op_tests grades solutions
            cases = [case for case in cases if case.traffic]
        with Grader(op, backend="sim", seed=47) as grader:
            grader.use(runtime_library(WS, "sim"), library, Symbols(library))
            results = [grader.grade(case) for case in cases if case.id != MANY_ROWS]
            return results, grader.counted.totals() if grader.counted else None

    return grade


def test_every_operator_has_a_ladder() -> None:
    assert len(OPS) >= 5
    assert len(STEPS) >= 12
    for op in ("copy", "vector_add", "reduce_sum", "softmax", "relu"):
        assert 3 <= len(ladders.ladder(WS.root, op)) <= 6


@pytest.mark.parametrize(("op", "path"), STEPS, ids=name_of)
def test_a_step_passes_every_case(
    op: str, path: Path, graded: Callable[[str, Path], Graded]
) -> None:
    results, _ = graded(op, path)
    assert len(results) > 50
    for result in results:
        assert result.passed, (result.id, result.verdict, result.message)
        assert not result.faults, (result.id, result.faults)


@pytest.mark.parametrize(("op", "path"), VERSIONS, ids=name_of)
def test_the_lesson_shows_what_is_counted(
    op: str, path: Path, graded: Callable[[str, Path], Graded]
) -> None:
    _, counted = graded(op, path)
    assert counted is not None
    lesson = (WS.root / "exercises" / op / "lesson.md").read_text(encoding="utf-8")
    assert f"case `{counted.case}`" in lesson
    assert counted_row(path, counted) in lesson.splitlines()


def counted_row(path: Path, counted: Counters) -> str:
    """The line of a lesson's table under "The ladder"."""
    memory, shared = counted.in_global, counted.in_shared
    requests = memory.requests + shared.requests
    cells = [
        f"`{ladders.version_name(path)}`",
        f"{memory.requests:,}",
        f"{memory.sectors / memory.requests:.1f}",
        f"{shared.requests:,}",
        f"{(memory.lanes + shared.lanes) / requests:.1f}",
        f"{sum(kernel.barriers for kernel in counted.kernels):,}",
        f"{counted.over_minimum:.2f}",
    ]
    return f"| {' | '.join(cells)} |"
