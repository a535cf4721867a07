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
    """Find scaffolds that drifted, missing hints and lessons, ladders with gaps, stray files."""
    from camp.exercises import dev_check
    from camp.ladders import check_ladders
    from camp.measured.benchmarks import check_page
    from camp.measured.ladders import check_lessons

    root = Workspace.find().root
    problems = [*dev_check(root), *check_ladders(root), *check_lessons(root), *check_page(root)]
    for problem in problems:
        out().say(problem)
    if problems:
        err().say(f"{len(problems)} problems", "red", "bold")
        return EXIT_FAILED
    err().say("every exercise is in order", "green")
    return EXIT_PASS


@app.command()
def tables() -> int:
    """Write the lessons' tables and docs/measured.md from the times in docs/measured."""
    from camp.cli.excerpt import shown_path
    from camp.measured.benchmarks import update_page
    from camp.measured.ladders import update_lessons

    root = Workspace.find().root
    for path in [*update_lessons(root), *update_page(root)]:
        out().say(f"{shown_path(path)} is written")
    return EXIT_PASS
