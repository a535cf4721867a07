"""benchmarks: the solutions as `camp bench` measured them on a GPU, and the page made of that.

docs/measured/benchmarks.json holds one row a case: op, case, outcome, median_us, p10_us, p90_us,
samples, stopped_by, gigabytes_per_second, ceiling (its kind), percent_of_ceiling,
percent_of_datasheet, peers_us (name -> median), best_peer, times_best_peer, versus_best_peer,
device, date. docs/measured.md is written from it by `camp dev tables`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from camp.errors import InternalError, StorageError
from camp.measured.rows import Row, microseconds, of_one_run, read_rows, stale, update
from camp.spec import list_specs

PAGE = "docs/measured.md"
_INTRODUCTION = """# Measured

The shipped solutions, timed by `camp bench --op OP --solution` under the protocol of
[Benchmarks](benchmarks.md): cold rotating buffers; the kernel, its ceiling and all peers take turns
in one run; medians of at least 31 samples. The ceiling is the fastest kernel that only reads and
writes as many bytes. The last column is the best peer's median over ours, so above 1 is ahead;
"even" means that the intervals p10..p90 touch.

`tests/gpu/run_all.sh` measures all of it again, `camp dev tables` writes this page from
docs/measured/benchmarks.json. The ladders are in the lessons, the cost of a call in
[Runtime cost](runtime-cost.md), the simulator's counters beside the hardware's in
[Agreement with hardware](hardware-agreement.md).
"""


def data_path(root: Path) -> Path:
    return root / "docs" / "measured" / "benchmarks.json"


def rows_of(result: Mapping[str, Any], date: str) -> list[Row]:
    """The rows of one operator's result, as `camp bench --json` prints it."""
    return [
        _row(case, result["operator"], result["device"]["name"], date) for case in result["cases"]
    ]


def _row(case: Mapping[str, Any], op: str, device: str, date: str) -> Row:
    row: Row = {"op": op, "case": case["case"], "outcome": case["outcome"]}
    kernel = case.get("kernel_us")
    if kernel is not None:
        best = case["best_peer"]
        row |= {f"{name}_us": round(kernel[name], 3) for name in ("median", "p10", "p90")}
        row |= {
            "samples": kernel["samples"],
            "stopped_by": kernel["stopped_by"],
            "gigabytes_per_second": _rounded(case["gigabytes_per_second"], 1),
            "ceiling": case["ceiling_kind"],
            "percent_of_ceiling": _rounded(case["percent_of_ceiling"], 1),
            "percent_of_datasheet": _rounded(case["percent_of_datasheet"], 1),
            "peers_us": {
                name: round(timed["median"], 3) for name, timed in case["peers_us"].items()
            },
            "best_peer": best,
            "times_best_peer": _rounded(case["times_best_peer"], 3),
            "versus_best_peer": case["versus"].get(best),
        }
    return {**row, "device": device, "date": date}


def page(rows: Sequence[Row], ops: Iterable[str]) -> str:
    """The whole page: a section for each operator that has rows."""
    return "\n".join(filter(None, [_INTRODUCTION, *(section(rows, op) for op in ops)]))


def section(rows: Sequence[Row], op: str) -> str:
    """The heading, conditions and table of one operator; "" without rows."""
    mine, device, date = of_one_run(rows, op)
    return f"## {op}\n\nOn one {device}, {date}.\n\n{_table(mine)}" if mine else ""


def _table(rows: Sequence[Row]) -> str:
    timed = [row for row in rows if "median_us" in row]
    peers = list(dict.fromkeys(name for row in timed for name in row["peers_us"]))
    headings = ["case", "µs [p10 p90]", "GB/s", "% of ceiling", "% of datasheet"]
    headings += [f"{name} µs" for name in peers] + ["best peer / ours"]
    lines = [_line(headings), "|---" * len(headings) + "|"]
    for row in rows:
        cells = _cells(row, peers) if "median_us" in row else [row["outcome"]]
        lines.append(_line([row["case"], *cells]))
    return "\n".join(lines) + "\n"


def _cells(row: Row, peers: Sequence[str]) -> list[str]:
    median, p10, p90 = (microseconds(row[f"{name}_us"]) for name in ("median", "p10", "p90"))
    mark = "" if row["outcome"] == "OK" else f" {row['outcome']}"
    shares = [row[name] for name in ("percent_of_ceiling", "percent_of_datasheet")]
    ratio = row["times_best_peer"]
    return [
        f"{median} [{p10} {p90}]{mark}",
        f"{row['gigabytes_per_second']:.0f}",
        *("" if share is None else f"{share:.0f}" for share in shares),
        *(microseconds(row["peers_us"][name]) if name in row["peers_us"] else "" for name in peers),
        "" if ratio is None else f"{ratio:.2f} {row['versus_best_peer']}",
    ]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def update_page(root: Path) -> list[Path]:
    """Writes docs/measured.md from the data; the file, if it changed. Raises StorageError, and
    InternalError for rows of several runs."""
    return update(_pages(root))


def check_page(root: Path) -> list[str]:
    """What is wrong with the page, one sentence; empty when it is that of the data."""
    try:
        return [
            f"{PAGE}: is not that of {data_path(root).name}: run `camp dev tables`"
            for _ in stale(_pages(root))
        ]
    except (InternalError, StorageError) as error:
        return [str(error)]


def _pages(root: Path) -> list[tuple[Path, str]]:
    """The page with the text that it should have; none without data."""
    rows = read_rows(data_path(root))
    return [(root / PAGE, page(rows, [spec.id for spec in list_specs(root)]))] if rows else []
