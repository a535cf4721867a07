"""options: arguments and options that several commands share, and what they resolve to."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from camp.cli import failures
from camp.errors import CampError, UsageError
from camp.spec import list_specs, require_operator
from camp.workspace import Workspace

Backend = Annotated[
    str | None,
    typer.Option(
        "--backend",
        metavar="sim|nvidia|auto",
        help="Where the kernel runs. Default: CAMP_BACKEND, else auto.",
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")
]
OptionalOperators = Annotated[
    list[str] | None,
    typer.Argument(metavar="[OP]...", help="Operator ids. Default: all of them."),
]
OperatorOption = Annotated[
    str, typer.Option("--op", metavar="OP|all", help="An operator id, or all of them.")
]


def speak_json(wanted: bool) -> None:
    """From here on errors are a JSON document too."""
    failures.speaking_json = wanted


def operators(workspace: Workspace, names: Sequence[str] | None) -> list[str]:
    """The ids named, each once; every operator in teaching order for none or "all".

    Raises UnknownOperatorError with the closest name.
    """
    if not names or "all" in names:
        found = [spec.id for spec in list_specs(workspace.root)]
        if not found:
            raise UsageError(f"no operator lies under {workspace.root / 'ops'}")
        return found
    return list(dict.fromkeys(require_operator(workspace.root, name) for name in names))


def conclude(
    results: Sequence[Any],
    code: int,
    as_json: bool,
    trouble: CampError | None,
    **more: Any,
) -> None:
    """The end of a command that grades or measures: its JSON document, then what could not be
    stored, as a sentence on stderr alone. `more` are further members of the document."""
    if as_json:
        found = [result.to_json() for result in results]
        document = {"results": found, **more, "exit_code": code}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    if trouble is not None:
        speak_json(False)
        raise trouble
