"""kernels: which kernel file a command works on: the learner's, another file, a version of the
ladder, or the solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from camp.errors import UsageError
from camp.workspace import Workspace

KernelOption = Annotated[
    Path | None,
    typer.Option("--kernel", metavar="PATH", help="Use this file in place of your kernel.cuh."),
]
SolutionOption = Annotated[
    bool, typer.Option("--solution", help="Use the reference solution in place of yours.")
]
StepOption = Annotated[
    int | None,
    typer.Option("--step", metavar="N", help="Use step N of the ladder from naive to final."),
]


@dataclass(frozen=True)
class KernelChoice:
    """What --kernel, --solution and --step ask for; nothing: the learner's own file."""

    kernel: Path | None = None
    solution: bool = False
    step: int | None = None

    @property
    def is_own(self) -> bool:
        """Whether it is the learner's file, whose results are remembered."""
        return self.kernel is None and not self.solution and self.step is None

    def require_valid(self, ops: Sequence[str]) -> None:
        """Raises UsageError for options that do not go together and for a file that is missing."""
        options = {
            "--kernel": self.kernel,
            "--solution": self.solution or None,
            "--step": self.step,
        }
        given = [option for option, value in options.items() if value is not None]
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} exclude each other")
        if given and not self.solution and len(ops) != 1:
            raise UsageError(f"{given[0]} is for one operator: name just that one")
        if self.kernel is not None and not self.kernel.is_file():
            raise UsageError(f"--kernel: there is no file {self.kernel}")

    def path(self, workspace: Workspace, op: str) -> Path | None:
        """The file for one operator; None for the learner's own."""
        if self.kernel is not None:
            return self.kernel.resolve()
        if self.solution:
            from camp.exercises import solution_path

            return solution_path(workspace.root, op)
        if self.step is not None:
            from camp.ladders import step_path

            return step_path(workspace.root, op, self.step)
        return None

    def words(self) -> list[str]:
        """The options as they were given."""
        words = [] if self.kernel is None else ["--kernel", str(self.kernel)]
        words += ["--solution"] if self.solution else []
        return words if self.step is None else [*words, "--step", str(self.step)]


OWN_KERNEL = KernelChoice()
