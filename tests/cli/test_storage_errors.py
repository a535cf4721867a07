"""test_storage_errors: a progress file or a disk in trouble costs no verdict and no earlier row."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from camp.progress import ProgressStore

from .conftest import Clone
from .helpers import EARLIER, kept, run_patched, sentence


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
