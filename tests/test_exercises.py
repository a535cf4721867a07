"""Scaffolds, hints, reset, and the rules every exercise of this tree must keep."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from camp import exercises
from camp.errors import InternalError, UnknownOperatorError, UsageError
from camp.spec import list_specs

SOLUTION = """// top
#pragma once
template <typename T>
void launch(T *y) {
  // camp:solution-begin 2: launch it
  launch_it(y);
  // camp:solution-end
}
// camp:solution-begin 1: write the kernel
int secret = 42;
// camp:solution-end
"""
SCAFFOLD = """// top
#pragma once
template <typename T>
void launch(T *y) {
  // TODO(camp) 2: launch it
}
// TODO(camp) 1: write the kernel
"""
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


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with the one exercise `op`, in order."""
    files = {
        "ops/op/op.toml": SPEC,
        "ops/op/nvidia/kernel.cuh": SCAFFOLD,
        "exercises/op/solution/kernel.cuh": SOLUTION,
        "exercises/op/lesson.md": "TODO 1 and TODO 2\n",
        "exercises/op/hints.md": "# Hints\n\n## TODO 1: a\n\nfirst\n\n## TODO 2\n\nsecond\nline\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def kernel(tree: Path) -> Path:
    return tree / "ops" / "op" / "nvidia" / "kernel.cuh"


def test_regions_become_todos_at_their_indentation() -> None:
    assert exercises.scaffold_of(SOLUTION) == SCAFFOLD


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SOLUTION.replace("  // camp:solution-end\n", "", 1), ":8: the region of line 5"),
        (SOLUTION.rsplit("// camp:solution-end", 1)[0], ":9: this region is never closed"),
        ("// camp:solution-end\n" + SOLUTION, ":1: no region is open"),
        (SOLUTION.replace("begin 2:", "begin two:"), ":5: malformed marker"),
        (SOLUTION.replace("begin 2: launch it", "begin 2:"), ":5: malformed marker"),
        (SOLUTION.replace("begin 2:", "begin 1:"), "each once; found [1, 1]"),
        (SOLUTION.replace("begin 2:", "begin 3:"), "found [3, 1]"),
        ("int x;\n", "found []"),
    ],
)
def test_bad_markers_are_refused(text: str, message: str) -> None:
    with pytest.raises(InternalError) as caught:
        exercises.scaffold_of(text, name="s")
    assert message in caught.value.message


def test_untouched_means_nothing_but_blanks_changed(tree: Path) -> None:
    assert exercises.is_untouched(tree, "op")
    kernel(tree).write_text(SCAFFOLD.replace("\n", "  \r\n") + "\n\n")
    assert exercises.is_untouched(tree, "op")
    kernel(tree).write_text(SCAFFOLD.replace("launch it", "launch it?"))
    assert not exercises.is_untouched(tree, "op")
    other = tree / "other.cuh"
    other.write_text(SCAFFOLD)
    assert exercises.is_untouched(tree, "op", other)


def test_first_todo_is_the_lowest_number_left(tree: Path) -> None:
    first = exercises.first_todo(tree, "op")
    assert first == exercises.Todo(1, 7, "write the kernel")
    kernel(tree).write_text(SCAFFOLD.replace("// TODO(camp) 1", "// done"))
    second = exercises.first_todo(tree, "op")
    assert second == exercises.Todo(2, 5, "launch it")
    kernel(tree).write_text("int x;\n")
    assert exercises.first_todo(tree, "op") is None


def test_hint_is_the_section_alone(tree: Path) -> None:
    assert exercises.hint(tree, "op", 1) == "first"
    assert exercises.hint(tree, "op", 2) == "second\nline"
    assert exercises.hint(tree, "op", 3) == ""


def test_reset_keeps_every_byte(tree: Path) -> None:
    """Also of a file in another encoding and with another system's line ends."""
    content = "// größer\r\n__global__ void op_kernel() {}\r\n".encode("latin-1")
    kernel(tree).write_bytes(content)
    kept = exercises.reset(tree, "op")
    assert kept is not None
    assert kept.read_bytes() == content
    assert exercises.is_untouched(tree, "op")


def test_reset_keeps_what_was_written(tree: Path) -> None:
    assert exercises.reset(tree, "op") is None
    for work in ("int mine;\n", "int mine_again;\n"):
        kernel(tree).write_text(work)
        kept = exercises.reset(tree, "op")
        assert kept is not None
        assert kept.read_text() == work
        assert kernel(tree).read_text() == SCAFFOLD
    kernel(tree).unlink()
    assert exercises.reset(tree, "op") is None
    assert kernel(tree).read_text() == SCAFFOLD


def test_shipped_operators_have_no_scaffold(tree: Path) -> None:
    spec = tree / "ops" / "op" / "op.toml"
    spec.write_text(SPEC.replace("dtypes", "shipped = true\ndtypes"))
    with pytest.raises(UsageError, match="shipped"):
        exercises.scaffold(tree, "op")
    assert not exercises.is_untouched(tree, "op")
    assert exercises.solution_path(tree, "op") == kernel(tree)
    with pytest.raises(UnknownOperatorError):
        exercises.scaffold(tree, "po")


def test_dev_check_is_silent_on_a_tree_in_order(tree: Path) -> None:
    assert exercises.dev_check(tree) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("ops/op/nvidia/kernel.cuh", SOLUTION), "is not the scaffold of the solution"),
        (("ops/op/nvidia/kernel.cuh", None), "is not the scaffold of the solution"),
        (("exercises/op/lesson.md", "TODO 2\n"), "lesson.md: says nothing of TODO 1"),
        (("exercises/op/lesson.md", None), "lesson.md: is missing"),
        (("exercises/op/lesson.md", " \n"), "lesson.md: is empty"),
        (("exercises/op/hints.md", None), "hints.md: is missing"),
        (("exercises/op/hints.md", "## TODO 1\n\na\n"), "no section '## TODO 2'"),
        (("exercises/op/hints.md", "## TODO 1\n## TODO 2\n\na\n"), "no section '## TODO 1'"),
        (("exercises/op/solution/kernel.cuh", None), "kernel.cuh"),
        (("exercises/op/solution/kernel.cuh", "int x;\n"), "TODO numbers must be 1 to n"),
        (("exercises/op/notes.txt", "mine\n"), "notes.txt: is a stray file"),
        (("exercises/op/steps/notes.txt", "mine\n"), "steps/notes.txt: is a stray file"),
        (("exercises/po/lesson.md", "a\n"), "exercises/po: no such operator"),
    ],
)
def test_dev_check_finds(tree: Path, change: tuple[str, str | None], problem: str) -> None:
    name, text = change
    path = tree / name
    if text is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert any(problem in found for found in exercises.dev_check(tree)), exercises.dev_check(tree)


def test_dev_check_wants_a_shipped_operator_implemented(tree: Path) -> None:
    spec = tree / "ops" / "op" / "op.toml"
    spec.write_text(SPEC.replace("dtypes", "shipped = true\ndtypes"))
    problems = "\n".join(exercises.dev_check(tree))
    assert "has TODOs, though op.toml says shipped" in problems
    assert "solution/kernel.cuh: is a stray file" in problems
    shutil.rmtree(tree / "exercises" / "op" / "solution")
    (tree / "exercises" / "op" / "hints.md").unlink()
    kernel(tree).write_text("int done;\n")
    assert exercises.dev_check(tree) == []


def test_a_tree_without_operators_is_a_problem(tmp_path: Path) -> None:
    assert exercises.dev_check(tmp_path) == ["ops/: no operator was found"]


# ---- this tree ----


def test_this_tree_has_exercises_and_one_reference(root: Path) -> None:
    shipped = {spec.id for spec in list_specs(root) if spec.shipped}
    assert "relu" in shipped
    assert {"copy", "vector_add", "reduce_sum", "softmax"} <= {
        spec.id for spec in list_specs(root) if not spec.shipped
    }


def test_every_exercise_of_this_tree_but_for_the_learners_own_files(root: Path) -> None:
    """A learner's kernel.cuh may be at any stage; everything else must be in order."""
    problems = exercises.dev_check(root)
    allowed = "/nvidia/kernel.cuh: is not the scaffold of the solution"
    assert [found for found in problems if not found.endswith(allowed)] == []


def test_lines_of_kernels_fit_a_hundred_columns(root: Path) -> None:
    paths = [exercises.solution_path(root, spec.id) for spec in list_specs(root)]
    paths += sorted((root / "ops" / "common").glob("*.cuh"))
    assert len(paths) > 10
    for path in paths:
        lines = path.read_text().splitlines()
        assert len(lines) <= 300, path
        assert all(len(line) <= 100 for line in lines), path
