"""test_ladder_rules: a ladder in order is silent, and each way to break one is told; the tables of
measured times are those of the data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camp import ladders
from camp.bench.cases import BenchCase, load_cases
from camp.bench.results import BenchResult, CaseResult, Outcome, Timed
from camp.bench.statistics import summarize
from camp.errors import InternalError, StorageError, UsageError
from camp.measured import ladders as measured
from camp.measured.rows import merged, read_rows, write_rows
from camp.spec import list_specs

SPEC = """id = "op"
title = "Op"
difficulty = "easy"
concept = "c"
order = 1
formula = "y = x"
dtypes = ["f32"]
[[tensors]]
name = "y"
role = "output"
shape = ["n"]
"""
HEADER = """// {name}.cuh: op, y = x.
// Thread mapping: a
// Bytes moved: b
// Preconditions: c
// {changed} d
#pragma once
"""
LESSON = "The ladder: `01_naive`, `02_better`.\n{}\n{}\nMeasure\n".format(*measured.MARKS)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with one operator and a ladder of two steps, in order."""
    files = {
        "ops/op/op.toml": SPEC,
        "exercises/op/lesson.md": LESSON,
        "exercises/op/steps/01_naive.cuh": HEADER.format(
            name="01_naive", changed="The first step:"
        ),
        "exercises/op/steps/02_better.cuh": HEADER.format(
            name="02_better", changed="Since 01_naive:"
        ),
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def step(tree: Path, name: str) -> Path:
    return tree / "exercises" / "op" / "steps" / f"{name}.cuh"


def test_a_ladder_in_order_is_silent(tree: Path) -> None:
    assert ladders.check_ladders(tree) == []
    assert measured.check_lessons(tree) == []


def test_an_operator_needs_no_ladder(tree: Path) -> None:
    for name in ("01_naive", "02_better"):
        step(tree, name).unlink()
    (tree / "exercises" / "op" / "lesson.md").write_text("")
    assert ladders.check_ladders(tree) == []
    assert measured.check_lessons(tree) == []
    assert ladders.ladder(tree, "op") == [tree / "exercises/op/solution/kernel.cuh"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("02_better", "03_better", "03_better.cuh: is step 2, and must be named 02_<slug>.cuh"),
        ("02_better", "02-better", "02-better.cuh: is step 2, and must be named 02_<slug>.cuh"),
        ("02_better", "02_best", "02_best.cuh: the first line must begin with '// 02_best.cuh: op"),
        ("02_better", "02_best", "lesson.md: says nothing of `02_best`"),
        ("01_naive", "01_plain", "02_better.cuh: the header has no line '// Since 01_plain: ...'"),
        ("02_better", "", "steps: has 1 steps; 2 to 5 lead to the solution"),
    ],
)
def test_a_wrong_name_is_told(tree: Path, old: str, new: str, problem: str) -> None:
    if new:
        step(tree, old).rename(step(tree, new))
    else:
        step(tree, old).unlink()
    assert any(problem in found for found in ladders.check_ladders(tree))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("01_naive", "Thread mapping:"),
        ("01_naive", "Bytes moved:"),
        ("02_better", "Preconditions:"),
        ("01_naive", "The first step:"),
        ("02_better", "Since 01_naive:"),
    ],
)
def test_a_missing_line_of_the_header_is_told(tree: Path, name: str, line: str) -> None:
    path = step(tree, name)
    path.write_text(path.read_text().replace(f"// {line}", "//") + f"// {line}\n")  # too far down
    assert ladders.check_ladders(tree) == [
        f"exercises/op/steps/{name}.cuh: the header has no line '// {line} ...'"
    ]


def test_a_version_in_cute_is_no_step_and_keeps_the_rules(tree: Path) -> None:
    path = step(tree, "cute")
    assert ladders.cute_version(tree, "op") is None
    path.write_text(HEADER.format(name="cute", changed="Since 02_better:"))
    assert ladders.cute_version(tree, "op") == path
    assert path not in ladders.ladder(tree, "op")
    assert ladders.check_ladders(tree) == [
        "exercises/op/steps/cute.cuh: the header has no line '// Needs CuTe: ...'",
        "exercises/op/lesson.md: says nothing of `cute`",
    ]


def test_too_many_steps_are_told(tree: Path) -> None:
    for number in range(3, 7):
        step(tree, f"{number:02}_more").write_text("")
    problems = ladders.check_ladders(tree)
    assert "exercises/op/steps: has 6 steps; 2 to 5 lead to the solution" in problems


def test_numbers_name_the_versions_and_the_last_is_the_solution(tree: Path) -> None:
    assert ladders.step_path(tree, "op", 2) == step(tree, "02_better")
    solution = ladders.step_path(tree, "op", 3)
    assert solution == tree / "exercises/op/solution/kernel.cuh"
    assert ladders.version_name(solution) == "solution"
    for number in (-1, 0, 4):
        with pytest.raises(UsageError, match=f"no step {number}") as caught:
            ladders.step_path(tree, "op", number)
        assert "1 01_naive, 2 02_better, 3 solution" in str(caught.value.hint)


# ---- measured times ----


def timed(op: str, medians: dict[str, float], device: str = "GPU") -> BenchResult:
    """A result with a copy of 10 us beside each case, and one case that is no measurement."""

    def case(name: str, median: float, outcome: Outcome) -> CaseResult:
        shapes = {"y": (1000,), "x": (1000,)}
        kernel, copy = (Timed(summarize([us] * 31), 1, "stable") for us in (median, 10.0))
        return CaseResult(
            BenchCase(name, "f32", shapes), outcome, kernel=kernel, ceilings={"copy": copy}, sets=4
        )

    cases = [case(name, median, Outcome.OK) for name, median in medians.items()]
    cases.append(case("noisy", 1.0, Outcome.TOO_NOISY))
    return BenchResult(op, "nvidia", 1, {"name": device}, {}, tuple(cases))


def rows(*results: tuple[str, BenchResult], date: str = "2026-01-02") -> list[dict[str, Any]]:
    return [row for name, result in results for row in measured.rows_of(result, name, date)]


def test_only_valid_times_become_rows() -> None:
    [row] = measured.rows_of(timed("op", {"small": 40.0}), "01_naive", "2026-01-02")
    assert row == {
        "op": "op",
        "step": "01_naive",
        "case": "small",
        "dtype": "f32",
        "median_us": 40.0,
        "p10_us": 40.0,
        "p90_us": 40.0,
        "samples": 31,
        "gigabytes_per_second": 0.2,
        "percent_of_ceiling": 25.0,
        "device": "GPU",
        "date": "2026-01-02",
    }


def test_the_tables_of_the_lessons_are_written_from_the_data(tree: Path) -> None:
    naive = timed("op", {"small": 40.0, "large": 12345.6})
    better = timed("op", {"small": 10.04, "large": 7.5})
    found = rows(("01_naive", naive), ("solution", better))
    write_rows(measured.data_path(tree), found)
    assert read_rows(measured.data_path(tree)) == found
    [problem] = measured.check_lessons(tree)
    assert problem.startswith("exercises/op/lesson.md: its table is not that of ladders.json")
    lesson = tree / "exercises" / "op" / "lesson.md"
    assert measured.update_lessons(tree) == [lesson]
    text = lesson.read_text()
    assert "On one GPU (2026-01-02)" in text
    assert text.splitlines()[5:9] == [
        "| version | small | large |",
        "|---|---|---|",
        "| `01_naive` | 40.0 µs, 25 % | 12,346 µs, 0 % |",
        "| `solution` | 10.0 µs, 100 % | 7.50 µs, 133 % |",
    ]
    assert text.endswith("\nMeasure\n")
    assert measured.check_lessons(tree) == []
    assert measured.update_lessons(tree) == []


def test_a_run_replaces_the_rows_of_its_operator_alone() -> None:
    old = rows(("01_naive", timed("a", {"x": 1.0})), ("01_naive", timed("b", {"x": 2.0})))
    new = rows(("solution", timed("a", {"x": 3.0})), date="2026-02-02")
    kept = merged(old, new)
    assert [(row["op"], row["step"]) for row in kept] == [("a", "solution"), ("b", "01_naive")]


def test_rows_of_several_runs_make_no_table() -> None:
    mixed = rows(("01_naive", timed("a", {"x": 1.0}, "one")), ("solution", timed("a", {"x": 1.0})))
    with pytest.raises(InternalError, match="several runs"):
        measured.table(mixed, "a")


def test_a_lesson_without_a_place_and_damaged_data_are_told(tree: Path) -> None:
    lesson = tree / "exercises" / "op" / "lesson.md"
    lesson.write_text(LESSON.replace(measured.MARKS[1], ""))
    [problem] = measured.check_lessons(tree)
    assert "must be there, once each" in problem
    write_rows(measured.data_path(tree), [])
    measured.data_path(tree).write_text(json.dumps([1]))
    with pytest.raises(StorageError, match="cannot be read"):
        read_rows(measured.data_path(tree))


# ---- this tree ----


def test_the_ladders_of_this_tree_are_in_order(root: Path) -> None:
    assert ladders.check_ladders(root) == []
    assert measured.check_lessons(root) == []


def test_every_ladder_names_cases_to_measure(root: Path) -> None:
    for spec in list_specs(root):
        if ladders.steps(root, spec.id):
            module = load_cases(root, spec.id)
            assert set(module.LADDER_CASES) <= {case.name for case in module.CASES}
            assert module.LADDER_CASES
