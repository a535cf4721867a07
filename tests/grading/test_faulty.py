"""Every known-bad kernel of tests/faulty gets the verdict, the fact and the line of its table, and
its corrected twin passes without a remark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from camp.grading.result import CaseResult
from camp.grading.suite import load_cases, select
from camp.workspace import Workspace
from tests.grading.faulty import FAULTS, FOLDER, ROWS, Libraries, grader_of, kernel

IDS = [f"{fault['id']}-{fault['slug']}" for fault in FAULTS]
# Costs seconds for every kernel that gives a row a block; only one fault needs it.
MANY_ROWS = "f32-rows=65536-cols=2"
NEEDS_MANY_ROWS = {"B40"}
CUT = "stopped after"  # a slow machine's note on a case whose point is that it begins


def marked_lines(path: Path, fault_id: str) -> list[int]:
    lines = path.read_text().splitlines()
    return [n for n, line in enumerate(lines, 1) if f"// fault: {fault_id}" in line]


def all_text(results: list[CaseResult]) -> str:
    parts = []
    for result in results:
        parts += [result.message, result.advice, *result.notes]
        for fault in result.warnings:
            parts += [fault.message, fault.advice]
    return " | ".join(parts)


def places(results: list[CaseResult]) -> set[tuple[str, int]]:
    found = [result.location for result in results]
    found += [fault.location for result in results for fault in result.warnings]
    return {(Path(place.file).name, place.line) for place in found if place}


def pairs(results: list[CaseResult]) -> list[set[int]]:
    """The lines that each fault names."""
    return [
        {place.line for place in (fault.location, fault.other_location) if place}
        for result in results
        for fault in result.faults
    ]


def remarks(result: CaseResult) -> list[str]:
    return [*result.notes, *(fault.message for fault in result.warnings)]


@pytest.mark.parametrize("fault", FAULTS, ids=IDS)
def test_fault_is_found(fault: dict[str, Any], libraries: Libraries) -> None:
    path = kernel(fault, fixed=False)
    cases = load_cases(Workspace.find(Path(__file__)).root, fault["op"])
    cases = select(cases, backend="sim", opt_in=frozenset(fault.get("opt_in", ())))
    named = {case.id: case for case in cases}
    if fault["id"] not in NEEDS_MANY_ROWS:
        cases = [case for case in cases if case.id != MANY_ROWS]
    wanted = fault.get("case")
    if "opt_in" in fault:
        cases = [case for case in cases if case.id == wanted]
    results: list[CaseResult] = []
    with grader_of(fault, libraries[path]) as grader:
        for case in cases:
            results.append(grader.grade(case))
            if not results[-1].passed:
                break
        first = results[-1]
        telling = results if fault["verdict"] == "PASS" else [first]
        if wanted is not None:
            telling = [grader.grade(named[wanted])]
        after = grader.grade(named[fault["then"]]) if "then" in fault else None
        silent = grader.grade(named[fault["silent"]]) if "silent" in fault else None
    assert first.verdict.value == fault["verdict"], first.message
    if wanted is not None:
        assert telling[0].verdict.value == fault["verdict"], telling[0].message
    if "message" not in fault:
        assert not any(remarks(result) for result in results)
        return
    assert re.search(fault["message"], all_text(telling)), all_text(telling)[:2000]
    if "kind" in fault:
        assert fault["kind"] in {seen.kind for result in telling for seen in result.faults}
    if "outputs" in fault:
        assert telling[0].facts["outputs"] == fault["outputs"]
    lines = marked_lines(path, fault["id"])
    if lines:
        assert places(telling) & {(path.name, line) for line in lines}, places(telling)
    if fault.get("both"):
        assert any(len(pair) == 2 and pair <= set(lines) for pair in pairs(telling)), pairs(telling)
    if after is not None:
        assert after.passed, after.message
    if silent is not None:
        assert silent.passed, silent.message
        assert not remarks(silent)


@pytest.mark.parametrize("fault", FAULTS, ids=IDS)
def test_twin_passes(fault: dict[str, Any], libraries: Libraries) -> None:
    cases = load_cases(Workspace.find(Path(__file__)).root, fault["op"])
    cases = select(cases, backend="sim", opt_in=frozenset())
    with grader_of(fault, libraries[kernel(fault, fixed=True)]) as grader:
        for case in cases:
            if case.id == MANY_ROWS and fault["id"] not in NEEDS_MANY_ROWS:
                continue
            result = grader.grade(case)
            assert result.passed, (case.id, result.verdict, result.message)
            told = [remark for remark in remarks(result) if not remark.startswith(CUT)]
            allowed = fault.get("twin", "(?!)")
            assert all(re.search(allowed, remark) for remark in told), (case.id, told)


def test_table_and_folder_agree() -> None:
    files = sorted(FOLDER.glob("*/*.cuh"))
    expected = sorted(kernel(fault, fixed=fixed) for fault in FAULTS for fixed in (False, True))
    assert files == expected
    assert len(set(IDS)) == len(IDS)


def test_every_row_has_its_kernels_or_its_test() -> None:
    ids = [row for group in ROWS["kinds"].values() for row in group]
    assert len(set(ids)) == len(ids) == 47
    with_kernels = {fault["id"] for fault in FAULTS}
    assert with_kernels | set(ROWS["tests"]) == set(ids)
    for test in ROWS["tests"].values():
        path, name = test.split("::")
        assert f"def {name}(" in (FOLDER.parent / path).read_text(), test
