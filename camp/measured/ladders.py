"""ladders: timings of the ladders as they are kept in the tree, and the tables made of them.

docs/measured/ladders.json holds one row a version and case: op, step, case, dtype, median_us,
p10_us, p90_us, samples (null where only the median was kept), gigabytes_per_second,
percent_of_ceiling, device, date. In a lesson the table stands between the lines MARKS; without rows
of the operator nothing stands there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from camp.bench.results import BenchResult, Outcome
from camp.errors import InternalError, StorageError
from camp.exercises import exercise_folder
from camp.ladders import steps
from camp.measured.rows import Row, microseconds, of_one_run, read_rows, stale, update
from camp.spec import list_specs

MARKS = ("<!-- measured:begin -->", "<!-- measured:end -->")


def data_path(root: Path) -> Path:
    return root / "docs" / "measured" / "ladders.json"


def rows_of(result: BenchResult, step: str, date: str) -> list[Row]:
    """One version's rows: the cases that were timed and valid."""
    return [
        {
            "op": result.op,
            "step": step,
            "case": case.case.name,
            "dtype": case.case.dtype,
            "median_us": round(case.kernel.summary.median, 3),
            "p10_us": round(case.kernel.summary.p10, 3),
            "p90_us": round(case.kernel.summary.p90, 3),
            "samples": case.kernel.summary.n,
            "gigabytes_per_second": round(case.gbps or 0.0, 1),
            "percent_of_ceiling": round(case.percent_of_ceiling or 0.0, 1),
            "device": str(result.device["name"]),
            "date": date,
        }
        for case in result.cases
        if case.outcome is Outcome.OK and case.kernel is not None
    ]


def table(rows: Iterable[Row], op: str) -> str:
    """The Markdown table of one operator, a line a version and a column a case; "" without rows."""
    mine, device, date = of_one_run(rows, op)
    if not mine:
        return ""
    cases = list(dict.fromkeys(row["case"] for row in mine))
    cells = {(row["step"], row["case"]): _cell(row) for row in mine}
    lines = [
        f"On one {device} ({date}): the median time, and the share of the speed of the fastest",
        "kernel that only reads and writes as many bytes.",
        "",
        "| version | " + " | ".join(cases) + " |",
        "|---" * (len(cases) + 1) + "|",
    ]
    for step in dict.fromkeys(row["step"] for row in mine):
        of_cases = [cells.get((step, case), "") for case in cases]
        lines.append(f"| `{step}` | " + " | ".join(of_cases) + " |")
    return "\n".join(lines) + "\n"


def update_lessons(root: Path) -> list[Path]:
    """Writes the tables into the lessons; the files that changed. Raises StorageError, and
    InternalError where a lesson of a ladder has no place for its table."""
    return update(_lessons(root))


def check_lessons(root: Path) -> list[str]:
    """What is wrong with the tables of the lessons, one sentence each; empty when all is well."""
    try:
        return [
            f"{path.relative_to(root)}: its table is not that of {data_path(root).name}: "
            "run `camp dev tables`"
            for path, _ in stale(_lessons(root))
        ]
    except (InternalError, StorageError) as error:
        return [str(error)]


def _lessons(root: Path) -> list[tuple[Path, str]]:
    """The lessons of all ladders, each with the text that it should have."""
    rows = read_rows(data_path(root))
    found = []
    for spec in list_specs(root):
        path = exercise_folder(root, spec.id) / "lesson.md"
        if steps(root, spec.id) and path.is_file():
            found.append((path, _with_table(path, table(rows, spec.id))))
    return found


def _with_table(path: Path, text: str) -> str:
    begin, end = MARKS
    parts = path.read_text(encoding="utf-8").split(begin)
    if len(parts) != 2 or parts[1].count(end) != 1:
        raise InternalError(f"{path}: the lines {begin} and {end} must be there, once each")
    return f"{parts[0]}{begin}\n{text}{end}{parts[1].partition(end)[2]}"


def _cell(row: Row) -> str:
    return f"{microseconds(row['median_us'])} µs, {row['percent_of_ceiling']:.0f} %"
