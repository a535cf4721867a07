"""progress: the table of what is solved, from op.toml and the progress file."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from camp.cli.medals_view import medal_cell
from camp.cli.options import Json, speak_json
from camp.cli.table import show_table
from camp.cli.terminal import Terminal, err, out
from camp.medals import SPEED, TRAFFIC, rank
from camp.progress import MedalRow, OperatorProgress, ProgressStore, kernel_hash
from camp.spec import OpSpec, list_specs
from camp.workspace import Workspace


@dataclass(frozen=True)
class Row:
    """One operator: its contract, its attempts (None: none yet), one word on where it is, and the
    medal of each kind; `current_hash` is of the kernel file as it is now."""

    spec: OpSpec
    made: OperatorProgress | None
    status: str
    medals: Mapping[str, MedalRow]
    current_hash: str

    def to_json(self) -> dict[str, Any]:
        made = self.made
        return {
            "operator": self.spec.id,
            "title": self.spec.title,
            "difficulty": self.spec.difficulty,
            "concept": self.spec.concept,
            "status": self.status,
            "attempts": made.attempts if made else 0,
            "last_verdict": made.last_verdict if made else None,
            "last_made_at": made.last_made_at if made else None,
            "passed_at": made.passed_at if made else None,
            "medals": {
                kind: {
                    "medal": row.medal,
                    "percent": row.percent,
                    "case": row.case_name,
                    "device": row.device,
                    "made_at": row.made_at,
                    "of_this_version": row.kernel_hash == self.current_hash,
                }
                for kind, row in self.medals.items()
            },
        }


def progress(as_json: Json = False) -> int:
    """Show what you have solved."""
    speak_json(as_json)
    workspace = Workspace.find()
    store = ProgressStore(workspace.state_dir)
    rows = collect(workspace, store)
    if as_json:
        document = {"operators": [row.to_json() for row in rows], "notices": store.notices}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    else:
        _show(rows, out())
    for notice in store.notices:
        err().say(notice, "yellow", label="notice: ")
    return 0


def collect(workspace: Workspace, store: ProgressStore) -> list[Row]:
    """Every operator in teaching order with its status. Raises StorageError."""
    made, rows = store.summary(), []
    for spec in list_specs(workspace.root):
        current, earned = kernel_hash(spec.kernel), store.medals(spec.id)
        of_kind = {kind: [row for row in earned if row.kind == kind] for kind in (SPEED, TRAFFIC)}
        best = {kind: best_medal(found, current) for kind, found in of_kind.items() if found}
        status = _status(workspace, spec, made.get(spec.id))
        rows.append(Row(spec, made.get(spec.id), status, best, current))
    return rows


def best_medal(earned: Sequence[MedalRow], current_hash: str) -> MedalRow:
    """The best medal of the kernel file as it is now, else of an older version of it; of equals the
    latest. `earned` is not empty, oldest first."""
    mine = [row for row in earned if row.kernel_hash == current_hash]
    return max(reversed(mine or earned), key=lambda row: rank(row.medal))


def _status(workspace: Workspace, spec: OpSpec, made: OperatorProgress | None) -> str:
    """passed | changed since it passed | failing | not started | not checked | kernel missing"""
    if not spec.kernel.is_file():
        return "kernel missing"
    if made is None:
        from camp.exercises import is_untouched

        if not spec.shipped and is_untouched(workspace.root, spec.id):
            return "not started"
        return "not checked"
    if made.passed_hash is None:
        return "not started" if made.last_verdict == "NOT_STARTED" else "failing"
    current = kernel_hash(spec.kernel)
    return "passed" if current == made.passed_hash else "changed since it passed"


def _show(rows: list[Row], terminal: Terminal) -> None:
    show_table(
        terminal,
        ["operator", "difficulty", "status", "tries", "speed", "traffic", "concept"],
        [
            [
                row.spec.id,
                row.spec.difficulty,
                _painted(row),
                _tries(row),
                medal_cell(row.medals.get(SPEED), row.current_hash),
                medal_cell(row.medals.get(TRAFFIC), row.current_hash),
                row.spec.concept,
            ]
            for row in rows
        ],
        right=["tries"],
        droppable=["concept", "difficulty", "tries"],
    )
    passed = sum(row.status == "passed" for row in rows)
    terminal.say(f"{passed} of {len(rows)} passed")
    waiting = [row.spec.id for row in rows if row.status != "passed" and not row.spec.shipped]
    if waiting:
        terminal.say(f"camp check {waiting[0]}", "cyan", label="next: ")


def _painted(row: Row) -> Any:
    from rich.text import Text

    colors = {"passed": "green", "failing": "red", "changed since it passed": "yellow"}
    text = row.status
    if row.status == "failing" and row.made is not None:
        text = f"failing: {row.made.last_verdict}"
    return Text(text, style=colors.get(row.status, ""))


def _tries(row: Row) -> str:
    return str(row.made.attempts) if row.made else ""
