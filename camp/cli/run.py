"""run: tests and benchmarks of operators, as tests/run_ops.py offers them."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from camp.cli.options import Backend, OperatorOption, operators
from camp.workspace import Workspace


class Mode(str, Enum):
    """What to do with an operator."""

    test = "test"
    bench = "bench"
    all = "all"


def run(
    op: OperatorOption,
    backend: Backend = None,
    mode: Annotated[Mode, typer.Option("--mode", help="Grade, measure, or both.")] = Mode.test,
) -> int:
    """Test or measure operators, or both.

    With `--op all` an exercise that is not started is shown and left out of the exit code.
    """
    workspace = Workspace.find()
    ops = operators(workspace, [op])
    return run_operators(workspace, ops, workspace.backend(backend), mode, lenient=op == "all")


def run_operators(
    workspace: Workspace, ops: list[str], backend: str, mode: Mode, *, lenient: bool
) -> int:
    """Grades and measures; the exit code of the first kind of failure. Only what passes (or, in
    mode bench, only what is started) is measured."""
    from camp.cli.bench import How, bench_operators
    from camp.cli.check import check_operators
    from camp.cli.check import exit_code as check_code
    from camp.grading.verdict import Verdict

    code, measured, how = 0, ops, How(lenient=lenient)
    if mode is not Mode.bench:
        results = check_operators(workspace, ops, backend)
        graded = [r for r in results if not (lenient and r.verdict is Verdict.NOT_STARTED)]
        code = check_code(graded)
        measured = [result.op for result in results if result.verdict is Verdict.PASS]
    if mode is not Mode.test and measured:
        code = code or bench_operators(workspace, measured, backend, how=how).exit_code
    return code
