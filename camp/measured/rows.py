"""rows: a data file of docs/measured: one row a line, each a JSON object with at least "op"."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from camp.errors import InternalError, StorageError
from camp.exercises import write_file

Row = dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """The rows of a data file; none where there is no file. Raises StorageError."""
    try:
        rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))["rows"]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{path} cannot be read: {error}") from error
    return rows


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Writes a data file, a row a line. Raises StorageError."""
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    write_file(path, f'{{"rows": [\n{lines}\n]}}\n')


def merged(old: Iterable[Row], new: Iterable[Row]) -> list[Row]:
    """`new`, and of `old` the operators that are not in it: times of one operator are only
    comparable within one run."""
    new = list(new)
    replaced = {row["op"] for row in new}
    rows = [row for row in old if row["op"] not in replaced] + new
    return sorted(rows, key=lambda row: str(row["op"]))


def of_one_run(rows: Iterable[Row], op: str) -> tuple[list[Row], str, str]:
    """The rows of one operator, their device and their date; no rows: empty strings. Raises
    InternalError where they come from several runs."""
    mine = [row for row in rows if row["op"] == op]
    conditions = {(str(row["device"]), str(row["date"])) for row in mine}
    if len(conditions) > 1:
        raise InternalError(f"the rows of {op} come from several runs: {sorted(conditions)}")
    device, date = conditions.pop() if conditions else ("", "")
    return mine, device, date


def stale(wanted: Iterable[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """Of files and the texts that they should have, those that differ or are missing."""
    return [
        (path, text)
        for path, text in wanted
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def update(wanted: Iterable[tuple[Path, str]]) -> list[Path]:
    """Writes the files that are stale, and names them. Raises StorageError."""
    changed = stale(wanted)
    for path, text in changed:
        write_file(path, text)
    return [path for path, _ in changed]


def microseconds(value: float) -> str:
    """Three digits, and none behind the point from 100 on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
