"""progress: the learner's attempts and benchmarks, kept in one SQLite file.

The file is `<state>/progress.sqlite`, with a rollback journal and full synchronisation: every
write is one transaction, so a killed process loses at most the row it was writing, and two
processes wait for each other. A file that is no database is renamed aside, never deleted.

Every failure of the storage is a `StorageError` with one sentence; the caller decides what else
still works without it.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TypeVar

from camp.errors import StorageError

SCHEMA_VERSION = 1
FILE_NAME = "progress.sqlite"
BUSY_TIMEOUT_S = 10.0

_SCHEMA = (
    """CREATE TABLE attempts (
        id INTEGER PRIMARY KEY, operator TEXT NOT NULL, backend TEXT NOT NULL,
        verdict TEXT NOT NULL, made_at TEXT NOT NULL, kernel_hash TEXT NOT NULL,
        seed INTEGER NOT NULL, cases_passed INTEGER NOT NULL, cases_total INTEGER NOT NULL,
        git_commit TEXT)""",
    """CREATE TABLE benchmarks (
        id INTEGER PRIMARY KEY, operator TEXT NOT NULL, backend TEXT NOT NULL,
        case_name TEXT NOT NULL, made_at TEXT NOT NULL, kernel_hash TEXT NOT NULL,
        device TEXT NOT NULL, median_us REAL NOT NULL, p10_us REAL NOT NULL,
        p90_us REAL NOT NULL, samples INTEGER NOT NULL, minimum_bytes INTEGER NOT NULL,
        ceiling_percent REAL NOT NULL)""",
    "CREATE INDEX attempts_of_operator ON attempts (operator, id)",
    "CREATE INDEX benchmarks_of_operator ON benchmarks (operator, id)",
)


def now() -> str:
    """The time as stored: UTC, ISO 8601, whole seconds."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def kernel_hash(path: Path) -> str:
    """SHA-256 of a kernel file in hexadecimal; "" where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


@dataclass(frozen=True)
class Attempt:
    """One graded run. `kernel_hash` is the SHA-256 of the kernel file, `made_at` from `now()`."""

    operator: str
    backend: str
    verdict: str
    made_at: str
    kernel_hash: str
    seed: int
    cases_passed: int
    cases_total: int
    git_commit: str | None = None


@dataclass(frozen=True)
class Benchmark:
    """One timed case; times in microseconds, `ceiling_percent` of the copy measured beside it."""

    operator: str
    backend: str
    case_name: str
    made_at: str
    kernel_hash: str
    device: str
    median_us: float
    p10_us: float
    p90_us: float
    samples: int
    minimum_bytes: int
    ceiling_percent: float


@dataclass(frozen=True)
class OperatorProgress:
    """What the attempts of one operator add up to. `best_percent` is None before any benchmark."""

    operator: str
    attempts: int
    last_verdict: str
    last_made_at: str
    passed_at: str | None
    passed_hash: str | None
    best_percent: float | None


class ProgressStore:
    """The attempts and benchmarks under one state folder. `notices` are sentences to show."""

    def __init__(self, state_dir: Path) -> None:
        self.path = state_dir / FILE_NAME
        self.notices: list[str] = []

    def record_attempt(self, attempt: Attempt) -> None:
        """Stores one attempt durably. Raises StorageError."""
        self._insert("attempts", attempt)

    def record_benchmark(self, benchmark: Benchmark) -> None:
        """Stores one benchmark durably. Raises StorageError."""
        self._insert("benchmarks", benchmark)

    def attempts(self, operator: str) -> list[Attempt]:
        """Every attempt at one operator, oldest first. Raises StorageError."""
        return self._select("attempts", Attempt, operator)

    def benchmarks(self, operator: str) -> list[Benchmark]:
        """Every benchmark of one operator, oldest first. Raises StorageError."""
        return self._select("benchmarks", Benchmark, operator)

    def summary(self) -> dict[str, OperatorProgress]:
        """Operator id to its progress; only operators with an attempt. Raises StorageError."""
        query = """
            SELECT a.operator, count(*), last.verdict, last.made_at, passed.made_at,
                   passed.kernel_hash,
                   (SELECT max(ceiling_percent) FROM benchmarks b WHERE b.operator = a.operator)
            FROM attempts a
            JOIN attempts last ON last.id =
                (SELECT max(id) FROM attempts WHERE operator = a.operator)
            LEFT JOIN attempts passed ON passed.id =
                (SELECT max(id) FROM attempts WHERE operator = a.operator AND verdict = 'PASS')
            GROUP BY a.operator"""
        with self._open(write=False) as connection:
            if connection is None:
                return {}
            return {row[0]: OperatorProgress(*row) for row in connection.execute(query)}

    def _insert(self, table: str, row: Attempt | Benchmark) -> None:
        columns = ", ".join(field.name for field in fields(row))
        marks = ", ".join("?" for _ in fields(row))
        with self._open(write=True) as connection:
            assert connection is not None
            connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", astuple(row))

    def _select(self, table: str, row_type: type[_Row], operator: str) -> list[_Row]:
        columns = ", ".join(field.name for field in fields(row_type))
        query = f"SELECT {columns} FROM {table} WHERE operator = ? ORDER BY id"
        with self._open(write=False) as connection:
            if connection is None:
                return []
            return [row_type(*row) for row in connection.execute(query, (operator,))]

    @contextlib.contextmanager
    def _open(self, *, write: bool) -> Iterator[sqlite3.Connection | None]:
        """A connection inside one transaction; None for reading where no file is yet."""
        try:
            if write:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            elif not self.path.exists():
                yield None
                return
            connection = self._connect_sound(write)
        except (OSError, sqlite3.Error) as error:
            raise self._trouble(error, write) from error
        try:
            yield connection
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._trouble(error, write) from error
        finally:
            connection.close()

    def _connect_sound(self, write: bool) -> sqlite3.Connection:
        try:
            return self._connect(write)
        except sqlite3.DatabaseError as error:
            if not _is_corrupt(error):
                raise
        self._set_aside()
        return self._connect(write=True)

    def _connect(self, write: bool) -> sqlite3.Connection:
        # A reader may have to roll back what a killed writer left, so it asks to write as well;
        # SQLite is content with reading where the file is write-protected.
        mode = "rwc" if write else "rw"
        uri = f"{self.path.resolve().as_uri()}?mode={mode}"
        connection = sqlite3.connect(
            uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA synchronous = FULL")
            # A writer takes the lock first: the schema is then made by exactly one process.
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            self._check_schema(connection, write)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_schema(self, connection: sqlite3.Connection, write: bool) -> None:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(f"malformed: {found}")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise StorageError(
                f"{self.path} was written by a newer Camp (format {version}, this one reads "
                f"{SCHEMA_VERSION})",
                hint="update this clone; the file was not touched",
            )
        if version == SCHEMA_VERSION:
            return
        if not write:
            raise sqlite3.DatabaseError("malformed: no tables")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _set_aside(self) -> None:
        """Renames a file that is no database. Another process may have done it: look again."""
        with open(self.path.with_suffix(".lock"), "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                self._connect(write=True).close()
                return
            except sqlite3.DatabaseError as error:
                if not _is_corrupt(error):
                    raise
            aside = _free_name(self.path)
            os.rename(self.path, aside)
            journal = Path(f"{self.path}-journal")
            if journal.exists():
                os.rename(journal, Path(f"{aside}-journal"))
        self.notices.append(
            f"{self.path} could not be read as a database; it was kept as {aside.name} and a new "
            "one was started"
        )

    def _trouble(self, error: Exception, write: bool) -> StorageError:
        if isinstance(error, StorageError):
            return error
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            hint = "another camp command is writing it; try again when that one has finished"
        else:
            hint = f"check that {self.path.parent} is writable and that its disk has room"
        verb = "saved to" if write else "read from"
        return StorageError(f"progress could not be {verb} {self.path}: {error}", hint=hint)


_Row = TypeVar("_Row", Attempt, Benchmark)


def _is_corrupt(error: sqlite3.DatabaseError) -> bool:
    text = str(error)
    return "not a database" in text or "malformed" in text


def _free_name(path: Path) -> Path:
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    candidate = path.with_name(f"progress.corrupt-{stamp}.sqlite")
    number = 2
    while candidate.exists():
        candidate = path.with_name(f"progress.corrupt-{stamp}-{number}.sqlite")
        number += 1
    return candidate
