"""progress: the learner's attempts, benchmarks and medals, as rows of the progress file.

Every write is one transaction, so a killed process loses at most the row it was writing, and two
processes wait for each other. Every failure of the storage is a `StorageError` with one sentence;
the caller decides what else still works without it.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TypeVar

from camp.progress_file import ProgressFile


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
    """One graded run. `kernel_hash` is the SHA-256 of the kernel file, `made_at` from `now()`,
    `git_commit` from `camp.git.commit`."""

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
    """One case that was timed and valid; times in microseconds.

    ceiling_percent: of the ceiling of `ceiling_kind` measured beside it. times_best_peer: the best
    peer's median over the kernel's; None without a peer. Files from before hold "copy" and None.
    """

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
    ceiling_kind: str = "copy"
    driver: str | None = None
    git_commit: str | None = None
    best_peer: str | None = None
    times_best_peer: float | None = None


@dataclass(frozen=True)
class MedalRow:
    """What one run earned; `kind`, `medal`, `percent` and `case_name` as in camp.medals.Earned."""

    operator: str
    kind: str
    medal: str | None
    percent: float
    case_name: str
    made_at: str
    kernel_hash: str
    backend: str
    device: str
    git_commit: str | None = None


@dataclass(frozen=True)
class OperatorProgress:
    """What the attempts of one operator add up to."""

    operator: str
    attempts: int
    last_verdict: str
    last_made_at: str
    passed_at: str | None
    passed_hash: str | None


class ProgressStore:
    """The rows under one state folder. `notices` are sentences to show."""

    def __init__(self, state_dir: Path) -> None:
        self._file = ProgressFile(state_dir)
        self.path = self._file.path
        self.notices = self._file.notices

    def record_attempt(self, attempt: Attempt) -> None:
        """Stores one attempt durably. Raises StorageError."""
        self._insert([attempt])

    def record_run(self, benchmarks: Iterable[Benchmark], medals: Iterable[MedalRow] = ()) -> None:
        """Stores what one run of `camp bench` measured and earned. Raises StorageError."""
        self._insert([*benchmarks, *medals])

    def attempts(self, operator: str) -> list[Attempt]:
        """Every attempt at one operator, oldest first. Raises StorageError."""
        return self._select(Attempt, operator)

    def benchmarks(self, operator: str) -> list[Benchmark]:
        """Every benchmark of one operator, oldest first. Raises StorageError."""
        return self._select(Benchmark, operator)

    def medals(self, operator: str) -> list[MedalRow]:
        """What every run of one operator earned, oldest first. Raises StorageError."""
        return self._select(MedalRow, operator)

    def summary(self) -> dict[str, OperatorProgress]:
        """Operator id to its progress; only operators with an attempt. Raises StorageError."""
        query = """
            SELECT a.operator, count(*), last.verdict, last.made_at, passed.made_at,
                   passed.kernel_hash
            FROM attempts a
            JOIN attempts last ON last.id =
                (SELECT max(id) FROM attempts WHERE operator = a.operator)
            LEFT JOIN attempts passed ON passed.id =
                (SELECT max(id) FROM attempts WHERE operator = a.operator AND verdict = 'PASS')
            GROUP BY a.operator"""
        with self._file.transaction(write=False) as connection:
            if connection is None:
                return {}
            return {row[0]: OperatorProgress(*row) for row in connection.execute(query)}

    def _insert(self, rows: Iterable[Attempt | Benchmark | MedalRow]) -> None:
        """All rows or none."""
        rows = list(rows)
        if not rows:
            return
        with self._file.transaction(write=True) as connection:
            assert connection is not None
            for row in rows:
                columns = ", ".join(field.name for field in fields(row))
                marks = ", ".join("?" for _ in fields(row))
                statement = f"INSERT INTO {_TABLES[type(row)]} ({columns}) VALUES ({marks})"
                connection.execute(statement, astuple(row))

    def _select(self, row_type: type[_Row], operator: str) -> list[_Row]:
        columns = ", ".join(field.name for field in fields(row_type))
        query = f"SELECT {columns} FROM {_TABLES[row_type]} WHERE operator = ? ORDER BY id"
        with self._file.transaction(write=False) as connection:
            if connection is None:
                return []
            return [row_type(*row) for row in connection.execute(query, (operator,))]


_TABLES: dict[type, str] = {Attempt: "attempts", Benchmark: "benchmarks", MedalRow: "medals"}
_Row = TypeVar("_Row", Attempt, Benchmark, MedalRow)
