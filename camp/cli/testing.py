"""testing: `camp test` and `camp all`: the operator tests, run_ops and the examples."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

from camp.cli.options import Backend, operators
from camp.cli.terminal import err, out
from camp.errors import EXIT_FAILED, ToolchainError
from camp.workspace import Workspace


def command(backend: Backend = None) -> int:
    """Run the operator tests, run_ops and the examples."""
    workspace = Workspace.find()
    return run_tests(workspace, workspace.backend(backend))


def all_(backend: Backend = None) -> int:
    """Build, then test."""
    from camp.cli.builds import build_and_show

    workspace = Workspace.find()
    chosen = workspace.backend(backend)
    return build_and_show(workspace, chosen, None) or run_tests(workspace, chosen)


def run_tests(workspace: Workspace, backend: str) -> int:
    """Runs every part, also after one that failed; the first exit code that is not 0."""
    codes = [
        _operator_tests(workspace, backend),
        _run_ops(workspace, backend),
        _examples(workspace, backend),
    ]
    return next((code for code in codes if code), 0)


def _title(text: str) -> None:
    err().say(text, "bold")
    err().flush()


def _operator_tests(workspace: Workspace, backend: str) -> int:
    """pytest over tests/op_tests, in a process of its own."""
    if importlib.util.find_spec("pytest") is None:
        raise ToolchainError(
            "the operator tests need pytest, which is not installed",
            hint="pip install -e '.[test]'",
        )
    _title("operator tests")
    out().flush()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "tests/op_tests", "-q"],
        cwd=workspace.root,
        env={**os.environ, "CAMP_BACKEND": backend},
        check=False,
    )
    return EXIT_FAILED if done.returncode else 0


def _run_ops(workspace: Workspace, backend: str) -> int:
    from camp.cli.run import Mode, run_operators

    _title("run_ops --op all --mode test")
    ops = operators(workspace, None)
    return run_operators(workspace, ops, backend, Mode.test, lenient=True)


def _examples(workspace: Workspace, backend: str) -> int:
    """Every program under docs/examples, against libcamp_ops.so, which is built first."""
    from camp.cli.builds import build_and_show
    from camp.examples import example_paths, run_example

    _title("examples")
    code = build_and_show(workspace, backend, None)
    if code:
        return code
    terminal = out()
    paths = example_paths(workspace.root)
    for path in paths:
        result = run_example(workspace, backend, path)
        word, color = ("passed", "green") if result.passed else ("failed", "red")
        terminal.say(word, color, label=f"{result.name}: ")
        if not result.passed:
            code = EXIT_FAILED
            for line in result.output.splitlines():
                terminal.raw("  " + line)
    if not paths:
        terminal.say("there are no examples under docs/examples", "red")
        return EXIT_FAILED
    return code
