"""The kept benchmark data, docs/measured.md made of it, and the report of a run on a GPU."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from camp.errors import InternalError
from camp.measured import benchmarks
from camp.measured.rows import read_rows, write_rows


def case(name: str, median: float | None, outcome: str = "OK", **peers: float) -> dict[str, Any]:
    """A case as `camp bench --json` prints it; its ceiling takes 10 us, and 1 us is 1000 GB/s."""
    found: dict[str, Any] = {"case": name, "outcome": outcome, "message": ""}
    if median is None:
        return found
    timed = {"samples": 31, "stopped_by": "stable"}
    best = min(peers, key=lambda peer: peers[peer], default=None)
    return found | {
        "kernel_us": {"median": median, "p10": median - 1, "p90": median + 1, **timed},
        "gigabytes_per_second": 1000.0 / median,
        "ceiling_kind": "copy",
        "percent_of_ceiling": 1000.0 / median,
        "percent_of_datasheet": None,
        "peers_us": {peer: {"median": us, **timed} for peer, us in peers.items()},
        "best_peer": best,
        "times_best_peer": peers[best] / median if best else None,
        "versus": {peer: "faster" if us > median else "slower" for peer, us in peers.items()},
    }


def rows(
    *cases: dict[str, Any], op: str = "copy", date: str = "2026-01-02"
) -> list[dict[str, Any]]:
    return benchmarks.rows_of({"operator": op, "device": {"name": "GPU"}, "cases": cases}, date)


def test_a_section_says_every_case_and_every_peer() -> None:
    found = rows(
        case("small", 20.0, torch=25.0),
        case("large", 2000.0, CUB=1900.0, torch=2100.0),
        case("alone", 12.5),
        case("huge", None, "SKIPPED"),
        case("shaky", 40.0, "TOO_NOISY"),
    )
    text = benchmarks.section(found, "copy")
    assert text.startswith("## copy\n\nOn one GPU, 2026-01-02.\n\n")
    assert text.splitlines()[4:] == [
        "| case | µs [p10 p90] | GB/s | % of ceiling | % of datasheet | torch µs | CUB µs "
        "| best peer / ours |",
        "|---|---|---|---|---|---|---|---|",
        "| small | 20.0 [19.0 21.0] | 50 | 50 |  | 25.0 |  | 1.25 faster |",
        "| large | 2,000 [1,999 2,001] | 0 | 0 |  | 2,100 | 1,900 | 0.95 slower |",
        "| alone | 12.5 [11.5 13.5] | 80 | 80 |  |  |  |  |",
        "| huge | SKIPPED |",
        "| shaky | 40.0 [39.0 41.0] TOO_NOISY | 25 | 25 |  |  |  |  |",
    ]
    assert benchmarks.section(found, "relu") == ""


def test_rows_of_two_runs_are_no_table() -> None:
    mixed = rows(case("a", 1.0)) + rows(case("b", 1.0), date="2026-02-02")
    with pytest.raises(InternalError, match="copy come from several runs"):
        benchmarks.section(mixed, "copy")


@pytest.fixture
def tree(tmp_path: Path, root: Path) -> Path:
    """A tree with the operator copy and nothing measured."""
    (tmp_path / "ops" / "copy").mkdir(parents=True)
    contract = (root / "ops" / "copy" / "op.toml").read_text()
    (tmp_path / "ops" / "copy" / "op.toml").write_text(contract)
    (tmp_path / "docs" / "measured").mkdir(parents=True)
    return tmp_path


def test_the_page_is_that_of_the_data(tree: Path) -> None:
    page = tree / benchmarks.PAGE
    assert benchmarks.check_page(tree) == []  # nothing measured, no page wanted
    assert benchmarks.update_page(tree) == []
    write_rows(benchmarks.data_path(tree), rows(case("small", 20.0)))
    [problem] = benchmarks.check_page(tree)
    assert problem.startswith("docs/measured.md: is not that of benchmarks.json")
    assert benchmarks.update_page(tree) == [page]
    assert "| small | 20.0 [19.0 21.0] |" in page.read_text()
    assert benchmarks.check_page(tree) == [] == benchmarks.update_page(tree)
    page.write_text(page.read_text().replace("20.0", "10.0"))
    assert len(benchmarks.check_page(tree)) == 1


def test_the_report_holds_steps_and_tables(tmp_path: Path, root: Path) -> None:
    write_rows(tmp_path / "benchmarks.json", rows(case("small", 20.0)))
    (tmp_path / "summary").write_text("build   ok   7 s\n")
    (tmp_path / "device.txt").write_text("a GPU\n")
    command = [sys.executable, root / "tests" / "gpu" / "report.py", tmp_path]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    text = (tmp_path / "report.md").read_text()
    assert "## Steps\n\n```text\nbuild   ok   7 s\n```" in text
    assert "## device\n\n```text\na GPU\n```" in text
    assert "## copy\n" in text
    assert "| small | 20.0" in text
    assert "Ladder" not in text


def test_data_files_are_json_a_row_a_line(tmp_path: Path) -> None:
    path, found = tmp_path / "data.json", rows(case("a", 1.0), case("b", None, "SKIPPED"))
    write_rows(path, found)
    assert read_rows(path) == found == json.loads(path.read_text())["rows"]
    assert len(path.read_text().splitlines()) == len(found) + 2
