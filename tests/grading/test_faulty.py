"""Every known-bad kernel of tests/faulty gets the verdict, the fact and the line of its table, and
its corrected twin passes without a warning."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from camp.build import build_variants
from camp.errors import BuildError
from camp.grading.check import runtime_library
from camp.grading.grader import Grader
from camp.grading.result import CaseResult
from camp.grading.suite import load_cases, select
from camp.grading.symbols import Symbols
from camp.workspace import Workspace

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parents[1] / "faulty"
FAULTS: list[dict[str, Any]] = tomllib.loads((FOLDER / "cases.toml").read_text())["fault"]
IDS = [fault["id"] for fault in FAULTS]
SEED = 62
# Costs seconds for every kernel that gives a row a block; only one fault needs it.
MANY_ROWS = "f32-rows=65536-cols=2"
NEEDS_MANY_ROWS = {"B40"}

Libraries = dict[Path, Path | BuildError]


def kernel(fault: dict[str, Any], *, fixed: bool) -> Path:
    suffix = "_fixed" if fixed else ""
    return FOLDER / fault["op"] / f"{fault['id']}_{fault['slug']}{suffix}.cuh"


@pytest.fixture(scope="module")
def libraries() -> Libraries:
    """All kernels of this folder, built in one go."""
    ws = Workspace.find(Path(__file__))
    wanted = [(f["op"], kernel(f, fixed=fixed)) for f in FAULTS for fixed in (False, True)]
    built = build_variants(ws, "sim", wanted, keep_going=True)
    return {path: library for (_, path), library in built.items()}


def grader_of(fault: dict[str, Any], library: Path | BuildError) -> Grader:
    if isinstance(library, BuildError):
        pytest.fail("\n".join([library.message, *map(str, library.diagnostics)]), pytrace=False)
    grader = Grader(fault["op"], backend="sim", seed=SEED)
    ws = Workspace.find(Path(__file__))
    grader.use(runtime_library(ws, "sim"), library, Symbols(library))
    return grader


def marked_lines(path: Path, fault_id: str) -> list[int]:
    lines = path.read_text().splitlines()
    return [n for n, line in enumerate(lines, 1) if f"// fault: {fault_id}" in line]


def all_text(results: list[CaseResult]) -> str:
    parts = []
    for result in results:
        parts += [result.message, result.advice, *result.notes]
        parts += [fault.message for fault in result.warnings]
    return " | ".join(parts)


def places(results: list[CaseResult]) -> set[tuple[str, int]]:
    found = [result.location for result in results]
    found += [fault.location for result in results for fault in result.warnings]
    return {(Path(place.file).name, place.line) for place in found if place}


@pytest.mark.parametrize("fault", FAULTS, ids=IDS)
def test_fault_is_found(fault: dict[str, Any], libraries: Libraries) -> None:
    path = kernel(fault, fixed=False)
    cases = load_cases(Workspace.find(Path(__file__)).root, fault["op"])
    cases = select(cases, backend="sim", opt_in=frozenset(fault.get("opt_in", ())))
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
            telling = [grader.grade(next(case for case in cases if case.id == wanted))]
    assert first.verdict.value == fault["verdict"], first.message
    if wanted is not None:
        assert telling[0].verdict.value == fault["verdict"], telling[0].message
    assert re.search(fault["message"], all_text(telling)), all_text(telling)[:2000]
    lines = marked_lines(path, fault["id"])
    if lines:
        assert places(telling) & {(path.name, line) for line in lines}, places(telling)


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
            assert not result.warnings, (case.id, result.warnings)


def test_table_and_folder_agree() -> None:
    files = sorted(FOLDER.glob("*/*.cuh"))
    expected = sorted(kernel(fault, fixed=fixed) for fault in FAULTS for fixed in (False, True))
    assert files == expected
    assert len(set(IDS)) == len(IDS) >= 20
