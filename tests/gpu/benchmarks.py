#!/usr/bin/env python3
"""benchmarks: `camp bench` of the solutions on a GPU, kept as data.

    python tests/gpu/benchmarks.py [OP...] --output gpu-report/benchmarks.json

Rows of other operators that the file holds already stay. Copied to docs/measured/benchmarks.json,
it is what `camp dev tables` writes docs/measured.md from. Exit code 1 when a case is no
measurement.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

from camp.measured.benchmarks import rows_of
from camp.measured.rows import merged, read_rows, write_rows
from camp.spec import list_specs
from camp.workspace import Workspace


def main() -> int:
    parser = argparse.ArgumentParser(description="Benchmark the solutions on a GPU.")
    parser.add_argument("ops", nargs="*", metavar="OP", help="operator ids; default: all")
    parser.add_argument("--output", type=Path, required=True, help="the data file")
    arguments = parser.parse_args()
    workspace = Workspace.find(Path(__file__))
    today = datetime.now(timezone.utc).date().isoformat()
    failures = 0
    for op in arguments.ops or [spec.id for spec in list_specs(workspace.root)]:
        command = [sys.executable, "-m", "camp", "bench", "--op", op, "--solution", "--json"]
        done = subprocess.run(
            [*command, "--backend", "nvidia"],
            cwd=workspace.root,
            stdout=subprocess.PIPE,
            text=True,
        )
        if not done.stdout:
            print(f"{op}: no result, exit code {done.returncode}")
            failures += 1
            continue
        [result] = json.loads(done.stdout)["results"]
        arguments.output.with_name(f"bench-{op}.json").write_text(json.dumps(result, indent=1))
        rows = rows_of(result, today)
        write_rows(arguments.output, merged(read_rows(arguments.output), rows))
        for row, case in zip(rows, result["cases"], strict=True):
            best = f"{row.get('times_best_peer')} x {row.get('best_peer')}"
            print(
                f"{op} {row['case']}: {row['outcome']} {case['message']}",
                f"{row.get('median_us')} us,",
                f"{row.get('percent_of_ceiling')} % of its ceiling, {best}",
                flush=True,
            )
        failures += done.returncode != 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
