"""new_operator: `camp new-op`, which writes the files of a further operator."""

from __future__ import annotations

from typing import Annotated

import typer

from camp.cli.excerpt import shown_path
from camp.cli.terminal import out
from camp.workspace import Workspace


def new_op(
    name: Annotated[str, typer.Argument(metavar="NAME", help="lower_case letters and digits.")],
) -> int:
    """Add an operator."""
    from camp.new_operator import create

    workspace = Workspace.find()
    terminal = out()
    for path in create(workspace.root, name):
        terminal.say(shown_path(path), "green", label="new: ")
    terminal.say("docs/how-to-add-an-operator.md says what each file is for", label="")
    terminal.say(f"camp check {name}", "cyan", label="next: ")
    return 0
