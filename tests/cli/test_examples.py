"""test_examples: the programs under docs/examples, as `camp test` runs them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from camp.examples import example_paths, run_example
from camp.workspace import Workspace

from .conftest import ROOT, Clone

EXAMPLES = example_paths(ROOT)


@pytest.fixture(scope="module")
def everything(built: Clone) -> Workspace:
    """libcamp_ops.so is there."""
    done = built.run("build")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "libcamp_ops.so: built" in done.stdout
    return Workspace(built.root)


def test_there_are_examples_in_both_languages() -> None:
    assert {path.suffix for path in EXAMPLES} == {".c", ".py"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(everything: Workspace, path: Path) -> None:
    result = run_example(everything, "sim", path)
    assert result.passed, result.output


def test_an_example_that_fails_is_said(everything: Workspace, tmp_path: Path) -> None:
    warns = tmp_path / "warns.c"
    warns.write_text("int main(void) { int unused; return 0; }\n")
    result = run_example(everything, "sim", warns)
    assert not result.passed
    assert "unused" in result.output
    crashes = tmp_path / "crashes.c"
    crashes.write_text("#include <stdlib.h>\nint main(void) { abort(); }\n")
    assert "ended by signal 6" in run_example(everything, "sim", crashes).output
    raises = tmp_path / "raises.py"
    raises.write_text("raise SystemExit(3)\n")
    assert not run_example(everything, "sim", raises).passed


def test_camp_test_runs_every_part_and_reports_the_first_failure(
    built: Clone, everything: Workspace
) -> None:
    """With two short operator tests in place of the long ones."""
    tests = built.root / "tests" / "op_tests"
    tests.mkdir(exist_ok=True)
    (tests / "test_stub.py").write_text("def test_stub():\n    pass\n")
    examples = built.root / "docs" / "examples"
    (examples / "broken.py").write_text("raise SystemExit('on purpose')\n")
    try:
        done = built.run("test")
        assert done.returncode == 1, done.stdout + done.stderr
        assert "1 passed" in done.stdout
        assert "copy: PASS" in done.stdout
        assert "softmax: NOT STARTED" in done.stdout
        assert "broken.py: failed\n  on purpose" in done.stdout
        for path in EXAMPLES:
            assert f"{path.name}: passed" in done.stdout
        (examples / "broken.py").unlink()
        assert built.run("test").returncode == 0
        (tests / "test_stub.py").write_text("def test_stub():\n    assert False\n")
        done = built.run("test")
        assert done.returncode == 1
        assert f"{EXAMPLES[-1].name}: passed" in done.stdout, "later parts run all the same"
    finally:
        shutil.rmtree(tests)
        (examples / "broken.py").unlink(missing_ok=True)
