"""test_progress_formats: a progress file of an older format comes over whole, whatever happens."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import camp.progress_file
from camp.errors import StorageError
from camp.progress import Attempt, Benchmark, MedalRow, ProgressStore

# What the first released format was made with; never to be changed.
FORMAT_1 = """
    CREATE TABLE attempts (
        id INTEGER PRIMARY KEY, operator TEXT NOT NULL, backend TEXT NOT NULL,
        verdict TEXT NOT NULL, made_at TEXT NOT NULL, kernel_hash TEXT NOT NULL,
        seed INTEGER NOT NULL, cases_passed INTEGER NOT NULL, cases_total INTEGER NOT NULL,
        git_commit TEXT);
    CREATE TABLE benchmarks (
        id INTEGER PRIMARY KEY, operator TEXT NOT NULL, backend TEXT NOT NULL,
        case_name TEXT NOT NULL, made_at TEXT NOT NULL, kernel_hash TEXT NOT NULL,
        device TEXT NOT NULL, median_us REAL NOT NULL, p10_us REAL NOT NULL,
        p90_us REAL NOT NULL, samples INTEGER NOT NULL, minimum_bytes INTEGER NOT NULL,
        ceiling_percent REAL NOT NULL);
    CREATE INDEX attempts_of_operator ON attempts (operator, id);
    CREATE INDEX benchmarks_of_operator ON benchmarks (operator, id);
    PRAGMA user_version = 1;
    INSERT INTO attempts VALUES (1, 'copy', 'sim', 'OOB', 't1', 'h1', 7, 3, 40, NULL);
    INSERT INTO attempts VALUES (2, 'copy', 'sim', 'PASS', 't2', 'h2', 8, 40, 40, 'f00');
    INSERT INTO benchmarks VALUES
        (1, 'copy', 'nvidia', '2^20 f32', 't3', 'h2', 'GPU', 3.5, 3.4, 3.6, 31, 8388608, 91.5);
"""
ATTEMPTS = [
    Attempt("copy", "sim", "OOB", "t1", "h1", 7, 3, 40, None),
    Attempt("copy", "sim", "PASS", "t2", "h2", 8, 40, 40, "f00"),
]
BENCHMARK = Benchmark(
    "copy", "nvidia", "2^20 f32", "t3", "h2", "GPU", 3.5, 3.4, 3.6, 31, 8388608, 91.5,
    ceiling_kind="copy", driver=None, git_commit=None, best_peer=None, times_best_peer=None,
)  # fmt: skip
MEDAL = MedalRow("copy", "speed", "gold", 98.0, "2^28 f32", "t4", "h2", "nvidia", "GPU")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A state folder whose file has format 1."""
    connection = sqlite3.connect(tmp_path / "progress.sqlite")
    connection.executescript(FORMAT_1)
    connection.close()
    return tmp_path


def version(state: Path) -> int:
    connection = sqlite3.connect(state / "progress.sqlite")
    try:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()


def in_child(work: Callable[[], None]) -> int:
    """Runs `work` in a process of its own: 0, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def all_of(state: Path) -> None:
    store = ProgressStore(state)
    assert store.attempts("copy") == ATTEMPTS
    assert store.benchmarks("copy") == [BENCHMARK]
    assert store.medals("copy") == []
    assert store.notices == []
    assert [path.name for path in state.iterdir()] == ["progress.sqlite"]


def test_a_reader_brings_an_old_file_over(old: Path) -> None:
    all_of(old)
    assert version(old) == 2
    assert ProgressStore(old).summary()["copy"].passed_hash == "h2"


def test_a_writer_brings_an_old_file_over(old: Path) -> None:
    newer = Benchmark(*(getattr(BENCHMARK, name) for name in list(vars(BENCHMARK))[:12]), "read")
    ProgressStore(old).record_run([newer], [MEDAL])
    store = ProgressStore(old)
    assert store.benchmarks("copy") == [BENCHMARK, newer]
    assert store.medals("copy") == [MEDAL]
    assert store.attempts("copy") == ATTEMPTS


def test_an_empty_file_and_an_old_one_end_in_the_same_tables(old: Path, tmp_path: Path) -> None:
    def columns(state: Path) -> list[tuple[str, ...]]:
        connection = sqlite3.connect(state / "progress.sqlite")
        try:
            tables = ("attempts", "benchmarks", "medals")
            return [row for t in tables for row in connection.execute(f"PRAGMA table_info({t})")]
        finally:
            connection.close()

    ProgressStore(tmp_path / "new").record_run([], [MEDAL])
    ProgressStore(old).record_run([], [MEDAL])
    assert columns(old) == columns(tmp_path / "new") != []


def test_kill_9_at_every_statement_of_the_change_loses_nothing(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, before = sqlite3.connect, (old / "progress.sqlite").read_bytes()

    def killing(number: int) -> Callable[..., sqlite3.Connection]:
        def connected(*arguments: object, **options: object) -> sqlite3.Connection:
            connection = connect(*arguments, **options)  # type: ignore[call-overload]
            # Pages go to the file before the commit: what is left behind is half written.
            connection.execute("PRAGMA cache_size = 1")
            left = number

            def count(statement: str) -> None:
                nonlocal left
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

            connection.set_trace_callback(count)
            return connection  # type: ignore[no-any-return]

        return connected

    killed = 0
    for number in range(1, 100):
        (old / "progress.sqlite").write_bytes(before)
        monkeypatch.setattr(camp.progress_file.sqlite3, "connect", killing(number))
        ended = in_child(lambda: ProgressStore(old).record_run([], [MEDAL]))
        monkeypatch.setattr(camp.progress_file.sqlite3, "connect", connect)
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
        killed += 1
        all_of(old)
        assert not (old / "progress.sqlite-journal").exists()
    statements = sum(len(step) for step in camp.progress_file.STEPS[1:])
    assert killed > statements
    assert ProgressStore(old).medals("copy") == [MEDAL]


def test_two_processes_bring_one_file_over_at_once(old: Path) -> None:
    start, go = os.pipe()

    def work() -> None:
        os.close(go)
        os.read(start, 1)  # returns in both when the other end is closed
        ProgressStore(old).record_run([], [MEDAL] * 3)

    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            try:
                work()
                os._exit(0)
            except BaseException:
                os._exit(1)
        children.append(child)
    os.close(go)
    os.close(start)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    store = ProgressStore(old)
    assert store.attempts("copy") == ATTEMPTS
    assert store.benchmarks("copy") == [BENCHMARK]
    assert store.medals("copy") == [MEDAL] * 6
    assert not list(old.glob("progress.corrupt-*"))


def test_an_old_file_that_cannot_be_written_is_one_sentence_and_stays(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (old / "progress.sqlite").read_bytes()
    connect = sqlite3.connect

    def read_only(name: str, **options: object) -> sqlite3.Connection:
        name = name.replace("mode=rwc", "mode=ro").replace("mode=rw", "mode=ro")
        return connect(name, **options)  # type: ignore[no-any-return, call-overload]

    monkeypatch.setattr(camp.progress_file.sqlite3, "connect", read_only)
    with pytest.raises(StorageError, match="readonly database") as caught:
        ProgressStore(old).summary()
    assert caught.value.exit_code == 4
    assert (old / "progress.sqlite").read_bytes() == before
