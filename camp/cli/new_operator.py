"""new_operator: `camp new-op`, which writes the files of a further operator."""

from __future__ import annotations

from typing import Annotated

import typer

from camp.cli.excerpt import shown_path
from camp.cli.terminal import out
from camp.workspace import Workspace


def new_op(
    name: Annotated[str, typer.Argument(metavar="NAME", help="lower_case letters and digits.")],
    inputs: Annotated[
        str, typer.Option("--inputs", metavar="X[,Y]", help="Names of one or two input tensors.")
    ] = "x",
    formula: Annotated[
        str | None,
        typer.Option("--formula", help='One operation on the inputs, such as "a * b".'),
    ] = None,
) -> int:
    """Add an operator."""
    from camp.new_operator import create

    workspace = Workspace.find()
    terminal = out()
    names = [part.strip() for part in inputs.split(",")]
    for path in create(workspace.root, name, inputs=names, formula=formula):
        terminal.say(shown_path(path), "green", label="new: ")
    terminal.say("docs/how-to-add-an-operator.md says what each file is for")
    terminal.say(f"camp check {name} --solution", "cyan", label="next: ")
    return 0
