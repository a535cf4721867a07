"""test_errors: what can go wrong around a command: one sentence, the right exit code, no loss."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Clone
from .helpers import kept, run_patched, sentence


def test_wrong_operator_name_is_answered_with_the_right_one(built: Clone) -> None:
    done = built.run("check", "sofmax")
    assert (
        sentence(done, 2) == "error: there is no operator named 'sofmax'; did you mean 'softmax'?"
    )
    assert "hint: operators: " in done.stderr


def test_wrong_command_is_answered_with_the_right_one(built: Clone) -> None:
    assert "did you mean 'check'?" in sentence(built.run("chekc", "copy"), 2)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "copy", "--sed", "1"),
        ("bench",),
        ("run", "--op", "copy", "--mode", "x"),
    ],
)
def test_wrong_usage_is_exit_2(built: Clone, arguments: tuple[str, ...]) -> None:
    sentence(built.run(*arguments), 2)


def test_unknown_backend(built: Clone) -> None:
    expected = "error: unknown backend 'cuda'; use one of auto, sim, nvidia"
    assert sentence(built.run("check", "copy", "--backend", "cuda"), 2) == expected
    assert sentence(built.run("check", "copy", CAMP_BACKEND="cuda"), 2) == expected


def test_a_kernel_file_that_is_not_there(built: Clone) -> None:
    assert "no file" in sentence(built.run("check", "copy", "--kernel", "nowhere.cuh"), 2)


def test_outside_of_a_clone(built: Clone, tmp_path: Path) -> None:
    """Only a package that does not lie in its clone has nowhere to work."""
    nowhere = "import camp.workspace; camp.workspace.is_root = lambda folder: False"
    done = run_patched(built, nowhere, "check", "copy", cwd=tmp_path)
    assert sentence(done, 4) == f"error: not inside a camp clone: {tmp_path}"
    assert "hint: cd into" in done.stderr


def test_missing_compiler(clone: Clone) -> None:
    done = clone.run("check", "relu", CXX="no-such-compiler")
    assert "no-such-compiler" in sentence(done, 4)
    done = clone.run("check", "relu", PATH=str(clone.root))
    assert sentence(done, 4) == "error: no C++ compiler found (g++ or clang++)"
    assert "hint: install one" in done.stderr


def test_nvidia_without_a_cuda_compiler(clone: Clone) -> None:
    hidden = "import camp.toolchain as t; t.find_nvcc = lambda: None"
    done = run_patched(clone, hidden, "check", "relu", "--backend", "nvidia")
    assert sentence(done, 4) == "error: the nvidia backend needs nvcc, and none was found"
    assert "`--backend sim` needs neither" in done.stderr


@pytest.mark.parametrize("command", [("check", "relu"), ("bench", "--op", "relu")])
@pytest.mark.parametrize("driver", ["None", "t.Driver((13, 0), ())"])
def test_nvidia_without_a_gpu(built: Clone, command: tuple[str, ...], driver: str) -> None:
    """It is the machine's fault, never a failed grade, and is said before anything is built."""
    state = built.root / ".camp"
    shutil.rmtree(state, ignore_errors=True)
    hidden = (
        "from pathlib import Path; import camp.toolchain as t; "
        f"t.find_driver = lambda: {driver}; "
        "t.find_nvcc = lambda: t.Nvcc(Path('/usr/bin/true'), (13, 0), 'PATH')"
    )
    done = run_patched(built, hidden, *command, "--backend", "nvidia")
    assert "needs a GPU to run on" in sentence(done, 4)
    assert "hint: `--backend sim`" in done.stderr
    assert not state.exists()
    assert not (built.root / "build-nvidia").exists()


def test_no_build_is_said_with_the_command_that_builds(clone: Clone) -> None:
    code = "import camp, numpy; camp.relu(numpy.zeros(3, dtype='f4'))"
    command = [clone.command()[0], "-c", code]
    done = subprocess.run(
        command, cwd=clone.root, env=clone.environment, capture_output=True, text=True, check=False
    )
    assert "LibraryMissingError" in done.stderr
    assert "not built" in done.stderr


def test_a_compile_error_shows_the_learners_line_and_touches_no_other(built: Clone) -> None:
    softmax = built.root / "ops" / "softmax" / "nvidia" / "kernel.cuh"
    before = softmax.read_text()
    softmax.write_text("#pragma once\nthis is not C++;\n")
    try:
        broken = built.run("build", "softmax")
        assert broken.returncode == 3
        assert "ops/softmax/nvidia/kernel.cuh:2" in broken.stdout
        assert "2 | this is not C++;" in broken.stdout
        assert built.run("check", "copy").returncode == 0
        graded = built.run("check", "softmax")
        assert graded.returncode == 3
        assert graded.stdout.startswith("softmax: BUILD")
    finally:
        softmax.write_text(before)


def test_a_corrupt_build_directory_is_made_anew(built: Clone, tmp_path: Path) -> None:
    folder = tmp_path / "build"
    shutil.copytree(built.root / "build-sim", folder, symlinks=True)
    (folder / "build.ninja").write_bytes(b"\x00garbage")
    (folder / "libcamp_runtime.so").write_bytes(b"\x7fELF and then nothing")
    done = built.run("check", "copy", BUILD_DIR=str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS" in done.stdout


def test_a_build_directory_that_is_something_else_is_refused(clone: Clone) -> None:
    folder = clone.root / "thesis"
    folder.mkdir()
    (folder / "chapter1.txt").write_text("do not delete")
    for command in (("build", "relu"), ("clean",), ("check", "relu")):
        assert "not a build of Camp" in sentence(clone.run(*command, BUILD_DIR=str(folder)), 2)
    assert (folder / "chapter1.txt").read_text() == "do not delete"


def test_a_fault_of_camp_is_exit_70_with_the_report_saved(built: Clone) -> None:
    boom = "import camp.cli.exercises as e; e.list_specs = lambda root: 1 // 0"
    done = run_patched(built, boom, "list")
    assert "fault of Camp: ZeroDivisionError" in sentence(done, 70)
    report = built.root / ".camp" / "last-error.txt"
    assert str(Path(".camp") / "last-error.txt") in done.stderr
    assert "ZeroDivisionError" in report.read_text()


def test_a_reader_that_leaves_is_no_error(built: Clone) -> None:
    script = f"{' '.join(built.command('list'))} | head -c 1"
    done = subprocess.run(
        ["bash", "-c", script + "; exit ${PIPESTATUS[0]}"],
        cwd=built.root,
        env=dict(built.environment),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 141)
    assert done.stderr == ""


def test_a_reader_that_leaves_loses_no_attempt(built: Clone) -> None:
    before = len(kept(built))
    script = f"{' '.join(built.command('check', 'copy'))} | head -c 1"
    subprocess.run(
        ["bash", "-c", script], cwd=built.root, env=dict(built.environment), check=False,
        capture_output=True,
    )  # fmt: skip
    assert len(kept(built)) == before + 1


def test_an_ascii_locale_shows_the_table(built: Clone) -> None:
    done = built.run("progress", PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert "softmax" in done.stdout
