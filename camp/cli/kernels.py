"""kernels: which kernel file a command works on: the learner's, another file, or the solution."""

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


@dataclass(frozen=True)
class KernelChoice:
    """What --kernel and --solution ask for; neither: the learner's own file."""

    kernel: Path | None = None
    solution: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it is the learner's file, whose results are remembered."""
        return self.kernel is None and not self.solution

    def require_valid(self, ops: Sequence[str]) -> None:
        """Raises UsageError for options that do not go together and for a file that is missing."""
        if self.kernel is None:
            return
        if len(ops) != 1:
            raise UsageError("--kernel is for one operator: name just that one")
        if self.solution:
            raise UsageError("--kernel and --solution exclude each other")
        if not self.kernel.is_file():
            raise UsageError(f"--kernel: there is no file {self.kernel}")

    def path(self, workspace: Workspace, op: str) -> Path | None:
        """The file for one operator; None for the learner's own."""
        if self.kernel is not None:
            return self.kernel.resolve()
        if self.solution:
            from camp.exercises import solution_path

            return solution_path(workspace.root, op)
        return None

    def words(self) -> list[str]:
        """The options as they were given."""
        if self.kernel is not None:
            return ["--kernel", str(self.kernel)]
        return ["--solution"] if self.solution else []


OWN_KERNEL = KernelChoice()
