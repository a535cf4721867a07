"""progress: the table of what is solved, from op.toml and the progress file."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

from camp.cli.options import Json, speak_json
from camp.cli.table import show_table
from camp.cli.terminal import Terminal, err, out
from camp.progress import OperatorProgress, ProgressStore, kernel_hash
from camp.spec import OpSpec, list_specs
from camp.workspace import Workspace


@dataclass(frozen=True)
class Row:
    """One operator: its contract, its attempts (None: none yet) and one word on where it is."""

    spec: OpSpec
    made: OperatorProgress | None
    status: str

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
            "best_percent": made.best_percent if made else None,
            "medal": medal(self.spec, made.best_percent if made else None),
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
    made = store.summary()
    return [
        Row(spec, made.get(spec.id), _status(workspace, spec, made.get(spec.id)))
        for spec in list_specs(workspace.root)
    ]


def medal(spec: OpSpec, percent: float | None) -> str | None:
    """The best medal whose target `percent` of the measured ceiling reaches."""
    if percent is None:
        return None
    won = [(target, name) for name, target in spec.targets.items() if percent >= target]
    return max(won)[1] if won else None


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
        ["operator", "difficulty", "status", "tries", "best", "concept"],
        [
            [
                row.spec.id,
                row.spec.difficulty,
                _painted(row),
                _tries(row),
                _best(row),
                row.spec.concept,
            ]
            for row in rows
        ],
        right=["tries", "best"],
        droppable=["difficulty", "concept"],
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


def _best(row: Row) -> str:
    percent = row.made.best_percent if row.made else None
    if percent is None:
        return ""
    won = medal(row.spec, percent)
    return f"{percent:.0f} %" + (f" {won}" if won else "")
