#!/usr/bin/env python3
"""report: one file of all that tests/gpu/run_all.sh found: its steps, then every table.

python tests/gpu/report.py FOLDER    # writes FOLDER/report.md
"""

from __future__ import annotations

import sys
from datetime import datetime, timezone
from pathlib import Path

from camp.measured import benchmarks, ladders
from camp.measured.rows import read_rows
from camp.spec import list_specs
from camp.workspace import Workspace

# Steps whose whole output belongs into the report.
TOLD = ("doctor", "call-overhead")


def report(folder: Path, root: Path) -> str:
    """The text. Steps that did not run are not in it."""
    ops = [spec.id for spec in list_specs(root)]
    today = datetime.now(timezone.utc).date().isoformat()
    parts = [f"# GPU report, {today}\n", _block("Steps", folder / "summary")]
    parts += [_block(name, folder / f"{name}.txt") for name in ("device", *TOLD)]
    rows = read_rows(folder / "benchmarks.json")
    parts += [benchmarks.section(rows, op) for op in ops]
    rungs = read_rows(folder / "ladders.json")
    for op in ops:
        table = ladders.table(rungs, op)
        parts += [f"## Ladder of {op}\n\n{table}"] if table else []
    return "\n".join(part for part in parts if part)


def _block(title: str, path: Path) -> str:
    """A file's text as it is, under a heading; "" where there is no such file."""
    if not path.is_file():
        return ""
    return f"## {title}\n\n```text\n{path.read_text(encoding='utf-8').strip()}\n```\n"


def main() -> int:
    folder = Path(sys.argv[1])
    text = report(folder, Workspace.find(Path(__file__)).root)
    (folder / "report.md").write_text(text, encoding="utf-8")
    print(f"{folder / 'report.md'}: {len(text.splitlines())} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
