#!/usr/bin/env python3
"""ladders: grades and times every version of the ladders on a GPU, and writes the times as data.

    python tests/gpu/ladders.py [OP...] --output gpu-report/ladders.json

A version in CuTe is left out, with a word, where its headers are not or CAMP_ENABLE_CUTE is OFF.
Rows of other operators that the file holds already stay. Copied to docs/measured/ladders.json, it
is what `camp dev tables` writes the tables of the lessons from. Exit code 1 when a version does not
pass or cannot be measured.
"""

from __future__ import annotations

import argparse
import sys
from datetime import datetime, timezone
from pathlib import Path

from camp import cutlass
from camp.bench.cases import load_cases
from camp.bench.measure import measure
from camp.build import build_bench, build_variants
from camp.errors import BuildError
from camp.grading.check import check, runtime_library
from camp.ladders import cute_version, ladder, version_name
from camp.measured.ladders import rows_of
from camp.measured.rows import Row, merged, read_rows, write_rows
from camp.spec import list_specs
from camp.workspace import Workspace

LIMIT_S = 2.0  # of sampling one case


def main() -> int:
    parser = argparse.ArgumentParser(description="Grade and time the ladders on a GPU.")
    parser.add_argument("ops", nargs="*", metavar="OP", help="operator ids; default: all")
    parser.add_argument("--output", type=Path, required=True, help="the data file")
    arguments = parser.parse_args()
    workspace = Workspace.find(Path(__file__))
    failures = 0
    for op in arguments.ops or [spec.id for spec in list_specs(workspace.root)]:
        rows, failed = climb(workspace, op)
        write_rows(arguments.output, merged(read_rows(arguments.output), rows))
        failures += failed
    return 1 if failures else 0


def in_cute(workspace: Workspace, op: str) -> list[Path]:
    """The version in CuTe, where there is one that can be built here."""
    path = cute_version(workspace.root, op)
    if path is None:
        return []
    if cutlass.mode() == "OFF" or cutlass.find_cutlass() is None:
        print(f"{op} cute: left out: CAMP_ENABLE_CUTE is OFF, or there are no CuTe headers")
        return []
    return [path]


def climb(workspace: Workspace, op: str) -> tuple[list[Row], int]:
    """The rows of all versions of one operator, and how many of them failed."""
    versions = [*ladder(workspace.root, op), *in_cute(workspace, op)]
    wanted = [(op, path) for path in versions]
    libraries = build_variants(workspace, "nvidia", wanted, keep_going=True)
    names = getattr(load_cases(workspace.root, op), "LADDER_CASES", None)
    beside = build_bench(workspace, op)
    today = datetime.now(timezone.utc).date().isoformat()
    beside = build_bench(workspace, op)
    rows: list[Row] = []
    failed = 0
    for path in versions:
        step, library = version_name(path), libraries[op, path]
        if isinstance(library, BuildError):
            print(f"{op} {step}: BUILD: {library.message}", flush=True)
            failed += 1
            continue
        grade = check(workspace, op, backend="nvidia", kernel=path)
        print(f"{op} {step}: {grade.verdict.value}, {grade.passed} cases passed", flush=True)
        for case in grade.cases:
            if not case.passed:
                print(f"  {case.id}: {case.verdict.value}: {case.message}")
        found = {op: library, "runtime": runtime_library(workspace, "nvidia")}
        result = measure(
            workspace,
            op,
            "nvidia",
            found,
            kernel=path,
            case_names=names,
            limit_s=LIMIT_S,
            beside=beside,
        )
        for timed in result.cases:
            print(f"  {timed.case.name}: {timed.outcome.value} {timed.message}", flush=True)
        new = rows_of(result, step, today)
        for row in new:
            share = f"{row['percent_of_ceiling']} % of its ceiling"
            print(f"  {row['case']}: {row['median_us']} us, {share}")
        rows += new
        failed += grade.verdict.value != "PASS" or len(new) < len(result.cases)
    print(f"{op}: {len(versions)} versions, {failed} failed, {len(rows)} rows")
    return rows, failed


if __name__ == "__main__":
    sys.exit(main())
