"""progress_file: opens the file that progress is kept in, whatever state it is found in.

The file is an SQLite database with a rollback journal and full synchronisation. Its format is a
number in the file; an older format is brought up to date inside the transaction that met it, so a
process killed half-way leaves the old one whole. A file that is no database is renamed aside, never
deleted; one of a newer format is left alone.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from camp.errors import StorageError

FILE_NAME = "progress.sqlite"
BUSY_TIMEOUT_S = 10.0

# STEPS[n] leads from format n to n + 1; an empty file is format 0. Steps are never edited once
# they were released: files of every format are out there.
STEPS: tuple[tuple[str, ...], ...] = (
    (
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
    ),
    (
        # Until then the ceiling was the device's copy, whatever the operator.
        "ALTER TABLE benchmarks ADD COLUMN ceiling_kind TEXT NOT NULL DEFAULT 'copy'",
        "ALTER TABLE benchmarks ADD COLUMN driver TEXT",
        "ALTER TABLE benchmarks ADD COLUMN git_commit TEXT",
        "ALTER TABLE benchmarks ADD COLUMN best_peer TEXT",
        "ALTER TABLE benchmarks ADD COLUMN times_best_peer REAL",
        """CREATE TABLE medals (
            id INTEGER PRIMARY KEY, operator TEXT NOT NULL, kind TEXT NOT NULL,
            medal TEXT, percent REAL NOT NULL, case_name TEXT NOT NULL, made_at TEXT NOT NULL,
            kernel_hash TEXT NOT NULL, backend TEXT NOT NULL, device TEXT NOT NULL,
            git_commit TEXT)""",
        "CREATE INDEX medals_of_operator ON medals (operator, id)",
    ),
)
SCHEMA_VERSION = len(STEPS)


class ProgressFile:
    """The file under one state folder. `notices` are sentences to show."""

    def __init__(self, state_dir: Path) -> None:
        self.path = state_dir / FILE_NAME
        self.notices: list[str] = []

    @contextlib.contextmanager
    def transaction(self, *, write: bool) -> Iterator[sqlite3.Connection | None]:
        """A connection inside one transaction, committed at the end; None for reading where no
        file is yet. Raises StorageError."""
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
            return self._connect(write) or self._connect_to_write()
        except sqlite3.DatabaseError as error:
            if not _is_corrupt(error):
                raise
        self._set_aside()
        return self._connect_to_write()

    def _connect_to_write(self) -> sqlite3.Connection:
        connection = self._connect(write=True)
        assert connection is not None
        return connection

    def _connect(self, write: bool) -> sqlite3.Connection | None:
        """None where a reader meets an older format, which a writer has to bring up to date."""
        # A reader may have to roll back what a killed writer left, so it asks to write as well;
        # SQLite is content with reading where the file is write-protected.
        mode = "rwc" if write else "rw"
        uri = f"{self.path.resolve().as_uri()}?mode={mode}"
        connection = sqlite3.connect(
            uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA synchronous = FULL")
            # A writer takes the lock first: a format is then changed by exactly one process.
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            current = self._bring_up_to_date(connection, write)
        except BaseException:
            connection.close()
            raise
        if current:
            return connection
        connection.close()
        return None

    def _bring_up_to_date(self, connection: sqlite3.Connection, write: bool) -> bool:
        """Whether the file has this format now; a reader changes nothing."""
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
        if version == SCHEMA_VERSION or not write:
            return bool(version == SCHEMA_VERSION)
        for step in STEPS[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        return True

    def _set_aside(self) -> None:
        """Renames a file that is no database. Another process may have done it: look again."""
        with open(self.path.with_suffix(".lock"), "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                self._connect_to_write().close()
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
