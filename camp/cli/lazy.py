"""lazy: a command group that imports a command's module only when that command runs."""

from __future__ import annotations

import difflib
import importlib
import itertools
import re
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from camp.errors import UsageError


@dataclass(frozen=True)
class LazyCommand:
    """`target` is "module:function" or "module:typer_app"; `help` is its docstring's first line."""

    target: str
    help: str
    section: str = ""
    hidden: bool = False


def typer_app(**options: Any) -> typer.Typer:
    """A Typer app as every one here is made: no rich markup, no completion, errors passed on."""
    return typer.Typer(
        rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False, **options
    )


# Options whose value may be left out: what it is then, and what can be a value. Any other word
# after the option is an argument, as in `camp check --sanitize copy`.
OPTIONAL_VALUES = {"--sanitize": ("all", re.compile(r"(all|\w+check)(,(all|\w+check))*"))}


class Command(TyperCommand):
    """A command some of whose options may stand without their value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _with_values(args))


def _with_values(arguments: list[str]) -> list[str]:
    given: list[str] = []
    for argument, following in itertools.zip_longest(arguments, arguments[1:], fillvalue=""):
        given.append(argument)
        if argument == "--":
            return [*given, *arguments[len(given) :]]
        default, value = OPTIONAL_VALUES.get(argument, ("", None))
        if value is not None and not value.fullmatch(following):
            given[-1] = f"{argument}={default}"
    return given


def load(name: str, command: LazyCommand) -> Any:
    """The command object behind a table entry."""
    module_name, _, attribute = command.target.partition(":")
    target = getattr(importlib.import_module(module_name), attribute)
    if isinstance(target, typer.Typer):
        app = target
    else:
        app = typer_app()
        app.command(name=name, hidden=command.hidden, cls=Command)(target)
    loaded = typer.main.get_command(app)
    loaded.name = name
    return loaded


def lazy_group(table: dict[str, LazyCommand]) -> type[TyperGroup]:
    """A group class whose commands are `table`, listed without importing any of them."""

    class LazyGroup(TyperGroup):
        def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
            return [name for name, command in table.items() if not command.hidden]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            command = table.get(cmd_name)
            return None if command is None else load(cmd_name, command)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            name = args[0]
            if name not in table and not name.startswith("-"):
                visible = self.list_commands(ctx)
                close = difflib.get_close_matches(name, visible, n=1)
                guess = f"; did you mean '{close[0]}'?" if close else ""
                raise UsageError(
                    f"there is no command named '{name}'{guess}",
                    hint=f"commands: {', '.join(visible)}",
                )
            return super().resolve_command(ctx, args)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            sections: dict[str, list[tuple[str, str]]] = {}
            for name, command in table.items():
                if not command.hidden:
                    sections.setdefault(command.section, []).append((name, command.help))
            longest = max(len(name) for name in table)
            for section, rows in sections.items():
                with formatter.section(section):
                    # Equal first columns keep the sections aligned with each other.
                    formatter.write_dl([(name.ljust(longest), text) for name, text in rows])

    return LazyGroup
