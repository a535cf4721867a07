"""test_errors: what can go wrong around a command: one sentence, the right exit code, no loss."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from camp.progress import Attempt, ProgressStore

from .conftest import Clone

EARLIER = Attempt("copy", "sim", "PASS", "2026-01-01T00:00:00+00:00", "h", 1, 9, 9)


def sentence(done: subprocess.CompletedProcess[str], code: int) -> str:
    """Checks the exit code and the shape of the message; gives the message."""
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, done.stderr
    return errors[0]


def kept(clone: Clone) -> list[Attempt]:
    return ProgressStore(clone.root / ".camp").attempts("copy")


def run_patched(
    clone: Clone, patch: str, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """The command in a process where `patch` was executed first."""
    code = f"import sys; from camp.cli import main; {patch}; sys.exit(main({list(arguments)!r}))"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd or clone.root,
        env=dict(clone.environment),
        capture_output=True,
        text=True,
        check=False,
    )


# ---- the command line ----


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


# ---- the machine ----


def test_missing_compiler(clone: Clone) -> None:
    done = clone.run("check", "relu", CXX="no-such-compiler")
    assert "no-such-compiler" in sentence(done, 4)
    done = clone.run("check", "relu", PATH=str(clone.root))
    assert sentence(done, 4) == "error: no C++ compiler found (g++ or clang++)"
    assert "hint: install one" in done.stderr


def test_nvidia_without_a_cuda_compiler_or_gpu(clone: Clone) -> None:
    done = clone.run("check", "relu", "--backend", "nvidia", PATH=str(clone.root), CXX="/bin/true")
    if Path("/usr/local/cuda/bin/nvcc").exists() or done.returncode in (0, 1):
        pytest.skip("this machine has a CUDA compiler outside of PATH")
    assert "nvcc" in sentence(done, 4)
    assert "--backend sim" in done.stderr


def test_no_build_is_said_with_the_command_that_builds(clone: Clone) -> None:
    code = "import camp, numpy; camp.relu(numpy.zeros(3, dtype='f4'))"
    command = [clone.command()[0], "-c", code]
    done = subprocess.run(
        command, cwd=clone.root, env=clone.environment, capture_output=True, text=True, check=False
    )
    assert "LibraryMissingError" in done.stderr
    assert "not built" in done.stderr


# ---- the build directory ----


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


# ---- the progress file ----


def test_a_corrupt_progress_file_is_kept_and_the_grade_stored(built: Clone) -> None:
    state = built.root / ".camp"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir()
    (state / "progress.sqlite").write_bytes(b"rubbish" * 999)
    done = built.run("check", "copy")
    assert done.returncode == 0
    assert "PASS" in done.stdout
    assert "notice: " in done.stderr
    [aside] = state.glob("progress.corrupt-*.sqlite")
    assert aside.name in done.stderr
    assert aside.read_bytes() == b"rubbish" * 999
    assert [attempt.verdict for attempt in kept(built)] == ["PASS"]
    shutil.rmtree(state)


def test_a_state_folder_that_cannot_be_made_costs_no_verdict(built: Clone) -> None:
    state = built.root / ".camp"
    shutil.rmtree(state, ignore_errors=True)
    state.write_text("in the way")
    try:
        done = built.run("check", "copy")
        assert "progress could not be saved" in sentence(done, 4)
        assert done.stdout.startswith("copy: PASS")
        assert state.read_text() == "in the way"
    finally:
        state.unlink()


def test_json_stays_one_document_when_nothing_can_be_stored(built: Clone) -> None:
    state = built.root / ".camp"
    shutil.rmtree(state, ignore_errors=True)
    state.write_text("in the way")
    try:
        done = built.run("check", "copy", "--json")
        sentence(done, 4)
        assert json.loads(done.stdout)["results"][0]["verdict"] == "PASS"
    finally:
        state.unlink()


def without_root_rights() -> None:
    """Permission bits count for root, too, once it lacks two capabilities after exec."""
    if os.getuid() == 0:
        library = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if library.prctl(24, capability, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
                raise OSError(ctypes.get_errno(), "cannot drop a capability")


@pytest.fixture
def read_only() -> Iterator[Callable[[Path], None]]:
    """Makes folders read-only until the test is over."""
    changed: list[Path] = []

    def change(folder: Path) -> None:
        folder.chmod(0o555)
        changed.append(folder)

    yield change
    for folder in changed:
        folder.chmod(0o755)


def test_a_read_only_state_folder(built: Clone, read_only: Callable[[Path], None]) -> None:
    state = built.root / ".camp"
    shutil.rmtree(state, ignore_errors=True)
    ProgressStore(state).record_attempt(EARLIER)
    before = (state / "progress.sqlite").read_bytes()
    read_only(state)
    done = built.run("check", "copy", preexec=without_root_rights)
    assert "progress could not be saved" in sentence(done, 4)
    assert done.stdout.startswith("copy: PASS")
    shown = built.run("progress", "--json", preexec=without_root_rights)
    assert shown.returncode == 0, shown.stderr
    rows = {row["operator"]: row for row in json.loads(shown.stdout)["operators"]}
    assert rows["copy"]["last_verdict"] == "PASS"
    assert (state / "progress.sqlite").read_bytes() == before
    state.chmod(0o755)
    shutil.rmtree(state)
    state.mkdir()


def test_a_read_only_build_folder(clone: Clone, read_only: Callable[[Path], None]) -> None:
    read_only(clone.root)
    for command in ("build", "check"):
        done = clone.run(command, "relu", preexec=without_root_rights)
        assert "cannot write the build folder" in sentence(done, 4)
        assert "hint: set BUILD_DIR" in done.stderr


def test_a_full_disk_costs_no_verdict_and_no_earlier_progress(built: Clone) -> None:
    """A limit on file sizes, set when the verdict is there, fails the write as a full disk does."""
    state = built.root / ".camp"
    shutil.rmtree(state, ignore_errors=True)
    store = ProgressStore(state)
    store.record_attempt(EARLIER)
    full = store.path.read_bytes()
    while store.path.stat().st_size == len(full):
        full = store.path.read_bytes()
        store.record_attempt(EARLIER)
    store.path.write_bytes(full)  # as it was before the row that needed one more page
    rows = len(kept(built))
    limit = (
        "import resource, camp.cli.check as c; now = c.now; "
        f"size = ({len(full)}, resource.RLIM_INFINITY); "
        "c.now = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, size) or now()"
    )
    done = run_patched(built, limit, "check", "copy")
    assert "progress could not be saved" in sentence(done, 4)
    assert "has room" in done.stderr
    assert done.stdout.startswith("copy: PASS")
    assert len(kept(built)) == rows
    assert built.run("check", "copy").returncode == 0
    assert len(kept(built)) == rows + 1
    shutil.rmtree(state)


@pytest.mark.parametrize("size", ["64k", "250k", "300k"])
def test_a_full_disk_in_a_build(clone: Clone, tmp_path: Path, size: str) -> None:
    """Wherever it fills up while CMake writes its files."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    try:
        done = clone.run("build", "relu", BUILD_DIR=str(folder))
        assert "the disk is full" in sentence(done, 4)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_newer_progress_file_is_left_alone(built: Clone) -> None:
    state = built.root / ".camp"
    shutil.rmtree(state, ignore_errors=True)
    ProgressStore(state).record_attempt(EARLIER)
    with sqlite3.connect(state / "progress.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert "newer Camp" in sentence(built.run("progress"), 4)
    shutil.rmtree(state)


# ---- being interrupted ----


def interrupt(clone: Clone, started: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Sends SIGINT to the whole process group, as a terminal does, once `started` is on stderr."""
    process = subprocess.Popen(
        clone.command(*arguments),
        cwd=clone.root,
        env=dict(clone.environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    seen = ""
    if started:
        for line in process.stderr:
            seen += line
            if started in line:
                break
    time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=30)
    return subprocess.CompletedProcess(process.args, process.returncode, out, seen + errors)


def test_ctrl_c_in_a_build_leaves_a_directory_that_builds_on(clone: Clone) -> None:
    ProgressStore(clone.root / ".camp").record_attempt(EARLIER)
    done = interrupt(clone, "Configuring", "build", "relu")
    assert done.returncode == 130, done.stderr
    assert "interrupted" in done.stderr
    assert "Traceback" not in done.stderr
    assert kept(clone) == [EARLIER]
    again = clone.run("check", "relu")
    assert again.returncode == 0, again.stdout + again.stderr


def test_ctrl_c_in_a_check_ends_the_worker_too(built: Clone) -> None:
    body = "while (true) y[0] = x[0];"
    path = built.root / "loop.cuh"
    path.write_text(built.kernel.read_text().replace("if (i < n) y[i] = x[i];", body))
    built.run("check", "copy", "--kernel", str(path), "--backend", "wrong")  # warms the imports
    done = interrupt(built, "", "check", "copy", "--kernel", str(path))
    assert done.returncode == 130, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    left = subprocess.run(
        ["pgrep", "-f", f"camp.worker.*{built.root}"], capture_output=True, text=True, check=False
    )
    assert left.stdout == ""


# ---- our own faults, and readers that leave ----


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


def test_an_ascii_locale_shows_the_table(built: Clone) -> None:
    done = built.run("progress", PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert "softmax" in done.stdout
