"""building: runs builds behind a progress bar, and says what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from camp.cli.bars import Bar
from camp.cli.failures import say_hint, show_build_error
from camp.cli.terminal import Terminal
from camp.errors import EXIT_BUILD, EXIT_PASS, BuildError

if TYPE_CHECKING:
    from camp.build import BuildEvent


class BuildWatcher:
    """Shows build events: a bar for compile steps, a line for what else takes time."""

    def __init__(self, bar: Bar, terminal: Terminal) -> None:
        self._bar = bar
        self._terminal = terminal

    def __call__(self, event: BuildEvent) -> None:
        if event.kind == "compile":
            self._bar.update(event.done, event.total, "building")
        else:
            self._terminal.say(event.text, "dim")
            self._terminal.flush()


def show_built(results: Mapping[str, Path | BuildError], terminal: Terminal) -> int:
    """One line per operator, then the compiler's messages; the exit code."""
    shown: set[int] = set()
    failed = False
    for name, result in results.items():
        if isinstance(result, BuildError):
            failed = True
            if name == "camp_ops":
                terminal.say(
                    "not linked, since an operator in it does not build",
                    *("red", "bold"),
                    label="libcamp_ops.so: ",
                )
                continue
            terminal.say("does not build", "red", "bold", label=f"{name}: ")
            if id(result) not in shown:
                shown.add(id(result))
                if not result.diagnostics:
                    terminal.say(result.message, indent=2)
                show_build_error(terminal, result)
                say_hint(terminal, result.hint, indent=2)
        else:
            label = "libcamp_ops.so" if name == "camp_ops" else name
            terminal.say("built", "green", label=f"{label}: ")
    return EXIT_BUILD if failed else EXIT_PASS
