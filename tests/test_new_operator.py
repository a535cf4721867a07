"""`camp new-op`, and docs/how-to-add-an-operator.md followed to the letter in a copy."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from camp import exercises, new_operator
from camp.errors import StorageError, UsageError
from camp.native import native
from camp.new_operator import create
from camp.spec import load_spec

FOLDERS = ("camp", "docs", "exercises", "native", "ops", "tests")
FILES = ("pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE")


def copy_tree(root: Path, target: Path) -> Path:
    """The tree as a fresh clone has it: no builds, no state, every exercise untouched."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so", ".*")
    for name in FOLDERS:
        shutil.copytree(root / name, target / name, ignore=ignored)
    for name in FILES:
        shutil.copy(root / name, target / name)
    return target


@pytest.fixture
def tree(root: Path, tmp_path: Path) -> Path:
    """What create reads of a tree."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so", ".*")
    for name in ("ops", "native/include", "camp/ops"):
        shutil.copytree(root / name, tmp_path / name, ignore=ignored)
    (tmp_path / "camp" / "spec.py").touch()
    return tmp_path


def files_of(tree: Path) -> dict[str, str]:
    return {
        path.relative_to(tree).as_posix(): path.read_text()
        for path in tree.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("inputs", "formula", "written", "in_c"),
    [
        (("x",), None, "x + x", "x + x"),
        (("a", "b"), None, "a + b", "a + b"),
        (("x",), "2*x", "2 * x", "2.0f * x"),
        (("x",), "x / 0.5", "x / 0.5", "x / 0.5f"),
        (("left", "right"), "right - left", "right - left", "right - left"),
    ],
)
def test_only_new_files_and_an_exercise_in_order(
    tree: Path, inputs: tuple[str, ...], formula: str | None, written: str, in_c: str
) -> None:
    before = files_of(tree)
    paths = create(tree, "my_op", inputs=inputs, formula=formula)
    after = files_of(tree)
    assert {name: after[name] for name in before} == before
    new = {path.relative_to(tree).as_posix() for path in paths}
    assert new == set(after) - set(before)
    assert len(new) == 11

    spec = load_spec(tree, "my_op")
    assert tuple(tensor.name for tensor in spec.tensors) == ("y", *inputs)
    assert spec.formula == f"y[i] = {written}"
    assert not spec.shipped
    assert exercises.is_untouched(tree, "my_op")
    mine = [p for p in exercises.dev_check(tree) if "my_op" in p]
    assert mine == []
    solution = after["exercises/my_op/solution/kernel.cuh"]
    assert f"    y = {in_c};\n" in solution
    assert in_c not in after["ops/my_op/nvidia/kernel.cuh"].split("#pragma once")[1]
    assert f"    return {written}\n" in after["tests/cases/my_op.py"]
    for name in new:
        assert "${" not in after[name], name
        assert all(len(line) <= 100 for line in after[name].splitlines()), name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Square", "cannot name an operator"),
        ("2square", "cannot name an operator"),
        ("square_", "cannot name an operator"),
        ("a__b", "cannot name an operator"),
        ("../square", "cannot name an operator"),
        ("", "cannot name an operator"),
        ("relu", "there is an operator 'relu' already"),
        ("lambda", "meaning in Python"),
        ("prepare_it", "meaning in Python"),
        ("spec", "camp.spec is a module"),
        ("ops", "camp.ops is a module"),
        ("handle", "camp_handle_... is taken by handle.h"),
        ("stream", "camp_stream_... is taken by device.h"),
    ],
)
def test_names_that_cannot_be(tree: Path, name: str, message: str) -> None:
    before = files_of(tree)
    with pytest.raises(UsageError, match=re.escape(message)):
        create(tree, name)
    assert files_of(tree) == before


@pytest.mark.parametrize(
    ("inputs", "formula", "message"),
    [
        (("x", "x"), None, "different from each other"),
        (("y",), None, "different from each other"),
        ((), None, "one or two inputs"),
        (("a", "b", "c"), None, "one or two inputs"),
        (("X",), None, "cannot name an input"),
        (("in",), None, "cannot name an input"),
        (("x",), "exp(x)", "must be one operation"),
        (("x",), "x * x + x", "must be one operation"),
        (("x",), "x + z", "must be one operation"),
        (("a", "b"), "a + 1", "must be one operation"),
        (("x",), "1 + 1", "must be one operation"),
    ],
)
def test_inputs_and_formulas_that_cannot_be(
    tree: Path, inputs: tuple[str, ...], formula: str | None, message: str
) -> None:
    before = files_of(tree)
    with pytest.raises(UsageError, match=re.escape(message)):
        create(tree, "my_op", inputs=inputs, formula=formula)
    assert files_of(tree) == before


def test_a_file_in_the_way_is_kept(tree: Path) -> None:
    mine = tree / "tests" / "bench" / "my_op.py"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine\n")
    before = files_of(tree)
    with pytest.raises(UsageError, match="exists already"):
        create(tree, "my_op")
    assert files_of(tree) == before


def test_a_failure_halfway_leaves_nothing(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files_of(tree)
    write = new_operator.write_file
    count = 0

    def full_disk(path: Path, text: str) -> None:
        nonlocal count
        count += 1
        if count == 6:
            raise StorageError(f"{path} cannot be written: no space left on device")
        write(path, text)

    monkeypatch.setattr(new_operator, "write_file", full_disk)
    with pytest.raises(StorageError, match="no space"):
        create(tree, "my_op")
    assert files_of(tree) == before


# ---- the document ----


def blocks(text: str) -> list[tuple[str, str]]:
    """(language, content) of every fenced block."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


class Reader:
    """Does what the document says, in a copy of the tree."""

    def __init__(self, tree: Path, scratch: Path) -> None:
        self.tree = tree
        # Whatever way camp is installed, these runs use the copy: its folder comes first, and a
        # finder that leads an editable install back to the clone is dropped.
        (scratch / "sitecustomize.py").write_text(
            "import sys\n"
            "sys.meta_path[:] = [f for f in sys.meta_path if 'Redirecting' not in type(f).__name__]"
            "\n"
        )
        module = Path(native.__file__)
        (tree / "camp" / module.name).symlink_to(module)
        self.environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("CAMP_", "BUILD_", "PYTEST_"))
        }
        self.environment["PYTHONPATH"] = f"{scratch}{os.pathsep}{tree}"
        self.environment["CAMP_BACKEND"] = "sim"

    def run(self, *arguments: str) -> str:
        result = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.tree,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        assert result.returncode == 0, f"{shlex.join(arguments)}\n{result.stdout}"
        return result.stdout

    def console(self, content: str) -> None:
        modules = {"camp": "camp.cli", "pytest": "pytest"}
        for line in content.splitlines():
            assert line.startswith("$ "), line
            program, *arguments = shlex.split(line[2:])
            output = self.run("-m", modules[program], *arguments)
            if program == "camp" and arguments[0] == "check":
                assert f"{arguments[1]}: PASS on sim" in output
            if program == "pytest":
                assert re.search(r"\b[1-9]\d* passed", output), output
                assert "failed" not in output

    def diff(self, content: str) -> None:
        head, *lines = content.splitlines()
        path = self.tree / head.removeprefix("--- ")
        old = "".join(f"{line[1:]}\n" for line in lines if line.startswith("-"))
        new = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
        text = path.read_text()
        assert text.count(old) == 1, f"{head}: {old!r} is there {text.count(old)} times"
        path.write_text(text.replace(old, new))

    def python(self, content: str) -> None:
        self.run("-c", content)


@pytest.mark.slow
def test_the_document_works_as_written(
    root: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tree = copy_tree(root, tmp_path / "tree")
    reader = Reader(tree, tmp_path_factory.mktemp("site"))
    found = reader.run("-c", "import camp; print(camp.__file__)")
    assert Path(found.strip()).is_relative_to(tree)
    for op in ("copy", "vector_add", "reduce_sum", "softmax"):
        exercises.reset(tree, op)  # the clone's own files may be half done

    text = (tree / "docs" / "how-to-add-an-operator.md").read_text()
    languages = [language for language, _ in blocks(text)]
    assert languages.count("console") >= 5
    assert languages.count("diff") >= 5
    assert languages.count("python") == 1
    for language, content in blocks(text):
        if language != "cpp":  # an illustration
            getattr(reader, language)(content)
