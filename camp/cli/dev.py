"""dev: checks for those who change Camp itself."""

from __future__ import annotations

from camp.cli.lazy import typer_app
from camp.cli.terminal import err, out
from camp.errors import EXIT_FAILED, EXIT_PASS
from camp.workspace import Workspace

app = typer_app(help="Checks for maintainers.")


@app.callback()
def group() -> None:
    """Checks for maintainers."""


@app.command()
def check() -> int:
    """Find scaffolds that drifted, missing hints and lessons, stray files."""
    from camp.exercises import dev_check

    problems = dev_check(Workspace.find().root)
    for problem in problems:
        out().say(problem)
    if problems:
        err().say(f"{len(problems)} problems", "red", "bold")
        return EXIT_FAILED
    err().say("every exercise is in order", "green")
    return EXIT_PASS
