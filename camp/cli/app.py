"""app: the table of commands and the root of the command line."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from camp import __version__
from camp.cli.lazy import LazyCommand, lazy_group, typer_app

_LEARN, _BUILD, _MEASURE, _MORE = "Exercises", "Build and test", "Measure", "More"

COMMANDS = {
    "list": LazyCommand("camp.cli.exercises:list_", "List the operators.", _LEARN),
    "check": LazyCommand("camp.cli.check:check", "Grade your kernel of an operator.", _LEARN),
    "explain": LazyCommand("camp.cli.explain:explain", "Read about a kind of report.", _LEARN),
    "hint": LazyCommand("camp.cli.exercises:hint", "Show a hint for an operator.", _LEARN),
    "progress": LazyCommand("camp.cli.progress:progress", "Show what you have solved.", _LEARN),
    "reset": LazyCommand(
        "camp.cli.exercises:reset", "Start an operator's kernel afresh, keeping a backup.", _LEARN
    ),
    "env": LazyCommand("camp.cli.builds:env", "Show the build's settings.", _BUILD),
    "configure": LazyCommand("camp.cli.builds:configure", "Configure the build only.", _BUILD),
    "build": LazyCommand("camp.cli.builds:build", "Configure and build the operators.", _BUILD),
    "test": LazyCommand(
        "camp.cli.testing:command", "Run the operator tests, run_ops and the examples.", _BUILD
    ),
    "all": LazyCommand("camp.cli.testing:all_", "Build, then test.", _BUILD),
    "clean": LazyCommand("camp.cli.builds:clean", "Remove the build directory.", _BUILD),
    "run": LazyCommand("camp.cli.run:run", "Test or measure operators, or both.", _MEASURE),
    "bench": LazyCommand(
        "camp.cli.bench:bench", "Measure operators: time on a GPU, traffic on sim.", _MEASURE
    ),
    "history": LazyCommand(
        "camp.cli.history:history", "Show the measurements of an operator over time.", _MEASURE
    ),
    "profile": LazyCommand(
        "camp.cli.profile:profile",
        "Show what a kernel does on a GPU, and its next bottleneck.",
        _MEASURE,
    ),
    "doctor": LazyCommand(
        "camp.cli.doctor:doctor", "Say what is here, what is missing and how to fix it.", _MORE
    ),
    "new-op": LazyCommand("camp.cli.new_operator:new_op", "Add an operator.", _MORE),
    "dev": LazyCommand("camp.cli.dev:app", "Checks for maintainers.", hidden=True),
}

app = typer_app(
    cls=lazy_group(COMMANDS),
    help="Learn GPU kernels: edit ops/<op>/nvidia/kernel.cuh, then run `camp check <op>`.",
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        sys.stdout.write(f"camp {__version__}\n")
        raise typer.Exit()
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


def invoke(arguments: list[str]) -> int:
    """Runs one command line and returns the exit code; every error is passed on."""
    command: Any = typer.main.get_command(app)
    try:
        with command.make_context("camp", arguments) as context:
            code = command.invoke(context)
    except typer.Exit as leaving:
        return leaving.exit_code
    return code if isinstance(code, int) else 0
