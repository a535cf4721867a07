"""check() from the outside: untouched scaffolds, broken builds, damaged reports, seeds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camp.errors import UnknownOperatorError
from camp.exercises import scaffold, solution_path
from camp.grading.check import check
from camp.grading.faults import Location, read_report
from camp.grading.result import CaseResult
from camp.grading.symbols import no_symbols
from camp.grading.verdict import Verdict
from camp.workspace import Workspace

WS = Workspace.find(Path(__file__))


def test_scaffold_is_not_started(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.cuh"
    kernel.write_text(scaffold(WS.root, "copy"))
    result = check(WS, "copy", backend="sim", kernel=kernel)
    assert result.verdict is Verdict.NOT_STARTED
    assert result.exit_code == 1
    assert result.todo is not None
    line, text = result.todo
    assert f"TODO(camp) 1: {text}" in kernel.read_text().splitlines()[line - 1]


def test_file_that_does_not_compile(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.cuh"
    kernel.write_text("#pragma once\nthis is no C++;\n")
    result = check(WS, "copy", backend="sim", kernel=kernel)
    assert result.verdict is Verdict.BUILD
    assert result.exit_code == 3
    assert result.build_error is not None
    assert any(
        d.file.endswith("kernel.cuh") and d.line == 2 for d in result.build_error.diagnostics
    )
    assert json.loads(json.dumps(result.to_json()))["verdict"] == "BUILD"


def test_symbol_that_is_missing(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.cuh"
    text = solution_path(WS.root, "copy").read_text()
    kernel.write_text(
        text + "\nvoid nobody_defines_this();\nnamespace { struct Early { Early() { "
        "nobody_defines_this(); } } early; }\n"
    )
    result = check(WS, "copy", backend="sim", kernel=kernel)
    assert result.verdict is Verdict.BUILD


def test_unknown_operator() -> None:
    with pytest.raises(UnknownOperatorError):
        check(WS, "softmx", backend="sim")


def test_solution_passes_and_reports_progress() -> None:
    seen: list[tuple[str, int, int]] = []

    def on_case(case: CaseResult, done: int, total: int) -> None:
        seen.append((case.id, done, total))

    kernel = solution_path(WS.root, "copy")
    result = check(WS, "copy", backend="sim", kernel=kernel, seed=5, on_case=on_case)
    assert result.verdict is Verdict.PASS
    assert result.exit_code == 0
    assert result.seed == 5
    assert [done for _, done, _ in seen] == list(range(1, len(result.cases) + 1))
    assert {total for _, _, total in seen} == {len(result.cases)}
    assert result.traffic is not None
    assert result.traffic.in_global.moved_bytes >= result.traffic.minimum_bytes > 0
    assert json.loads(json.dumps(result.to_json()))["total"] == len(result.cases)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"faults": 3, "launches": []}',
        '{"faults": [{"message": "x"}], "launches": []}',
        '{"faults": [{"kind": "race", "verdict": "NO", "severity": "error", "message": ""}], '
        '"launches": []}',
        "[" * 100_000,
    ],
)
def test_damaged_report_is_noticed(text: str) -> None:
    assert not read_report(text, no_symbols).readable


def test_causes_come_first() -> None:
    def fault(verdict: str, severity: str = "error") -> dict[str, object]:
        return {
            "kind": verdict.lower(),
            "verdict": verdict,
            "severity": severity,
            "message": "m",
            "site": {"module": "/lib.so", "offset": 16},
            "count": 2,
        }

    faults = [fault("SYNC", "warning"), fault("RACE"), fault("OOB"), fault("LAUNCH")]
    text = json.dumps({"faults": faults, "launches": []})
    report = read_report(text, lambda counters: {c: Location("k.cuh", 7) for c in counters})
    assert [f.verdict.value for f in report.faults] == ["LAUNCH", "OOB", "RACE", "SYNC"]
    assert [f.verdict.value for f in report.warnings] == ["SYNC"]
    assert str(report.faults[0].location) == "k.cuh:7"
