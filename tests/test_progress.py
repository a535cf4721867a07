"""test_progress: the progress file under kill -9, two processes, corruption and full disks."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from camp.errors import StorageError
from camp.progress import Attempt, Benchmark, MedalRow, ProgressStore
from camp.progress_file import SCHEMA_VERSION

ROOT = Path(__file__).resolve().parent.parent
ATTEMPT = Attempt("copy", "sim", "WRONG", "2026-01-02T03:04:05+00:00", "a" * 64, 7, 3, 40, "f00")
BENCHMARK = Benchmark(
    "copy", "nvidia", "2^20 f32", "2026-01-02T03:04:05+00:00", "a" * 64, "GPU", 3.5, 3.4, 3.6,
    31, 8 << 20, 91.5, "read", "580.1", "f00-dirty", "cub", 1.02,
)  # fmt: skip
MEDAL = MedalRow(
    "copy", "speed", "silver", 91.5, "2^28 f32", "2026-01-02T03:04:05+00:00", "a" * 64, "nvidia",
    "GPU", "f00",
)  # fmt: skip

WRITER = """
import sys
from pathlib import Path
from camp.progress import Attempt, ProgressStore
store = ProgressStore(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    store.record_attempt(Attempt(sys.argv[3], "sim", "PASS", "t", "h", number, 1, 1))
    print(number, flush=True)
for notice in store.notices:
    print(notice, file=sys.stderr)
"""


def writer(state: Path, count: int, operator: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(state), str(count), operator],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,  # type: ignore[call-overload]
    )


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    store = ProgressStore(tmp_path / "state")
    store.record_attempt(ATTEMPT)
    store.record_attempt(replace(ATTEMPT, verdict="PASS", git_commit=None))
    store.record_run([BENCHMARK], [MEDAL, replace(MEDAL, medal=None, kind="traffic")])
    again = ProgressStore(tmp_path / "state")
    assert again.attempts("copy") == [ATTEMPT, replace(ATTEMPT, verdict="PASS", git_commit=None)]
    assert again.benchmarks("copy") == [BENCHMARK]
    assert again.medals("copy") == [MEDAL, replace(MEDAL, medal=None, kind="traffic")]
    assert again.attempts("relu") == []
    assert again.notices == []


def test_summary_keeps_the_last_verdict_and_the_last_pass(tmp_path: Path) -> None:
    store = ProgressStore(tmp_path)
    for number, verdict in enumerate(["WRONG", "PASS", "RACE"]):
        store.record_attempt(
            replace(ATTEMPT, verdict=verdict, made_at=f"t{number}", kernel_hash=f"h{number}")
        )
    summary = store.summary()
    assert list(summary) == ["copy"]
    copy = summary["copy"]
    assert (copy.attempts, copy.last_verdict, copy.last_made_at) == (3, "RACE", "t2")
    assert (copy.passed_at, copy.passed_hash) == ("t1", "h1")


def test_nothing_is_created_by_reading(tmp_path: Path) -> None:
    store = ProgressStore(tmp_path / "state")
    assert store.summary() == {}
    assert store.attempts("copy") == []
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("content", [b"this is no database at all" * 100, b"\0" * 8192])
def test_a_corrupt_file_is_renamed_aside_and_said(tmp_path: Path, content: bytes) -> None:
    store = ProgressStore(tmp_path)
    store.path.write_bytes(content)
    store.record_attempt(ATTEMPT)
    assert store.attempts("copy") == [ATTEMPT]
    [aside] = tmp_path.glob("progress.corrupt-*.sqlite")
    assert aside.read_bytes() == content
    assert len(store.notices) == 1
    assert aside.name in store.notices[0]


def test_a_damaged_page_is_found_when_reading(tmp_path: Path) -> None:
    store = ProgressStore(tmp_path)
    for _ in range(200):
        store.record_attempt(ATTEMPT)
    pages = bytearray(store.path.read_bytes())
    pages[4096:12288] = os.urandom(8192)
    store.path.write_bytes(pages)
    assert store.summary() == {}
    assert len(store.notices) == 1
    [aside] = tmp_path.glob("progress.corrupt-*.sqlite")
    assert aside.read_bytes() == bytes(pages)


def test_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    store = ProgressStore(tmp_path)
    store.record_attempt(ATTEMPT)
    with sqlite3.connect(store.path) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    before = store.path.read_bytes()
    with pytest.raises(StorageError, match="newer Camp"):
        store.record_attempt(ATTEMPT)
    with pytest.raises(StorageError, match="newer Camp"):
        store.summary()
    assert store.path.read_bytes() == before


def test_two_processes_write_at_once_and_both_are_kept(tmp_path: Path) -> None:
    state = tmp_path / "state"
    writers = [writer(state, 40, name) for name in ("copy", "relu")]
    for process in writers:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    store = ProgressStore(state)
    for name in ("copy", "relu"):
        assert [attempt.seed for attempt in store.attempts(name)] == list(range(40))


def test_two_processes_meet_one_corrupt_file(tmp_path: Path) -> None:
    (tmp_path / "progress.sqlite").write_bytes(b"garbage" * 1000)
    writers = [writer(tmp_path, 5, name) for name in ("copy", "relu")]
    notices = []
    for process in writers:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        notices += errors.splitlines()
    store = ProgressStore(tmp_path)
    assert len(store.attempts("copy")) == len(store.attempts("relu")) == 5
    assert len(list(tmp_path.glob("progress.corrupt-*.sqlite"))) == 1
    assert len(notices) == 1


def test_kill_9_loses_no_finished_write(tmp_path: Path) -> None:
    kept = 0
    for delay in (0.0, 0.01, 0.03):
        process = writer(tmp_path, 100_000, "copy")
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        confirmed = 1 + len(process.stdout.readlines())
        process.wait(timeout=60)
        stored = len(ProgressStore(tmp_path).attempts("copy"))
        # The row written when the kill came may or may not be there; confirmed ones must be.
        assert kept + confirmed <= stored <= kept + confirmed + 1
        kept = stored
    assert not list(tmp_path.glob("progress.corrupt-*"))


def test_reading_first_after_a_kill_in_the_middle_of_a_write(tmp_path: Path) -> None:
    """The journal is hot: whoever opens the file next, be it only to read, has to roll back."""
    store = ProgressStore(tmp_path)
    store.record_attempt(ATTEMPT)
    script = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "c.execute('PRAGMA cache_size = 1'); c.execute('PRAGMA cache_spill = 1'); "
        "c.execute('BEGIN IMMEDIATE'); "
        "c.execute('UPDATE attempts SET verdict = ?', ('half written' * 50,)); "
        "[c.execute('INSERT INTO attempts SELECT NULL, operator, backend, verdict, made_at, "
        "kernel_hash, seed, cases_passed, cases_total, git_commit FROM attempts') "
        "for _ in range(10)]; os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(store.path)], check=False)
    assert Path(f"{store.path}-journal").stat().st_size > 0
    assert ProgressStore(tmp_path).attempts("copy") == [ATTEMPT]
    assert ProgressStore(tmp_path).summary()["copy"].attempts == 1


def test_a_state_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    with pytest.raises(StorageError) as caught:
        ProgressStore(tmp_path / "state").record_attempt(ATTEMPT)
    assert "progress could not be saved" in caught.value.message
    assert caught.value.hint is not None
    assert caught.value.exit_code == 4


def test_a_disk_that_fills_up_keeps_what_was_there(tmp_path: Path) -> None:
    import resource

    store = ProgressStore(tmp_path)
    store.record_attempt(ATTEMPT)
    size = store.path.stat().st_size

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    process = writer(tmp_path, 100_000, "copy", preexec_fn=limit)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "StorageError" in errors
    assert ProgressStore(tmp_path).attempts("copy")[0] == ATTEMPT


def test_a_locked_file_says_who_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ProgressStore(tmp_path)
    store.record_attempt(ATTEMPT)
    holder = sqlite3.connect(store.path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr("camp.progress_file.BUSY_TIMEOUT_S", 0.05)
    with pytest.raises(StorageError) as caught:
        store.record_attempt(ATTEMPT)
    holder.close()
    assert caught.value.hint is not None
    assert "another camp command" in caught.value.hint
