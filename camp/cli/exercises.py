"""exercises: list the operators, show a hint, start a kernel afresh."""

from __future__ import annotations

from typing import Annotated

import typer

from camp.cli.excerpt import shown_path
from camp.cli.prose import show_prose
from camp.cli.table import show_table
from camp.cli.terminal import err, out
from camp.errors import UsageError
from camp.spec import list_specs, load_spec, require_operator
from camp.workspace import Workspace

Operator = Annotated[str, typer.Argument(metavar="OP", help="An operator id.")]


def list_() -> None:
    """List the operators."""
    from camp.ladders import ladder

    root = Workspace.find().root
    rows = [
        [
            spec.id,
            spec.difficulty,
            spec.concept,
            ", ".join(spec.prerequisites),
            str(len(ladder(root, spec.id))),
        ]
        for spec in list_specs(root)
    ]
    headings = ["operator", "difficulty", "concept", "after", "steps"]
    show_table(out(), headings, rows, right=["steps"], droppable=["after", "steps"])


def hint(
    operator: Operator,
    number: Annotated[
        int | None,
        typer.Argument(metavar="[N]", help="The TODO's number. Default: the first one left."),
    ] = None,
) -> int:
    """Show a hint for an operator."""
    import camp.exercises as exercises

    workspace = Workspace.find()
    spec = load_spec(workspace.root, operator)
    terminal = out()
    if spec.shipped:
        raise UsageError(f"{operator} is shipped implemented; it has no hints")
    if number is None:
        todo = exercises.first_todo(workspace.root, operator)
        if todo is None:
            terminal.say(f"no TODO is left in {shown_path(spec.kernel)}")
            terminal.say(f"camp check {operator}", "cyan", label="next: ")
            return 0
        number = todo.number
        terminal.say(f"{shown_path(spec.kernel)}:{todo.line}: TODO {number}: {todo.text}", "bold")
    text = exercises.hint(workspace.root, operator, number)
    if not text:
        known = [todo.number for todo in exercises.todos(workspace.root, operator)]
        left = f"TODOs left: {', '.join(map(str, known))}" if known else "no TODO is left"
        raise UsageError(f"{operator} has no hint for TODO {number}", hint=left)
    show_prose(terminal, text)
    lesson = exercises.exercise_folder(workspace.root, operator) / "lesson.md"
    terminal.say(shown_path(lesson), "cyan", label="lesson: ")
    return 0


def reset(operator: Operator) -> int:
    """Start an operator's kernel afresh, keeping a backup."""
    import camp.exercises as exercises

    workspace = Workspace.find()
    require_operator(workspace.root, operator)
    kept = exercises.reset(workspace.root, operator)
    err().say(f"{shown_path(workspace.kernel(operator))} is the scaffold again")
    if kept is not None:
        err().say(f"your version is kept as {shown_path(kept)}")
    return 0
