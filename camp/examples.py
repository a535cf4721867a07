"""examples: compiles and runs the programs under docs/examples against a build directory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from camp.errors import LibraryMissingError, ToolchainError
from camp.toolchain import find_cc
from camp.workspace import Workspace

TIME_LIMIT_S = 120
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


@dataclass(frozen=True)
class ExampleResult:
    """One program. `output` is all it and its compiler printed."""

    name: str
    passed: bool
    output: str


def example_paths(root: Path) -> list[Path]:
    """Every C and Python example, in order of names."""
    folder = root / "docs" / "examples"
    return sorted(path for path in folder.glob("*") if path.suffix in (".c", ".py"))


def run_example(workspace: Workspace, backend: str, path: Path) -> ExampleResult:
    """Runs one example; a C one is compiled with the host compiler and linked to libcamp_ops.so.

    Raises LibraryMissingError before a build and ToolchainError without a C compiler.
    """
    folder = workspace.library_dir(backend).resolve()
    if not (folder / "libcamp_ops.so").is_file():
        raise LibraryMissingError(
            f"the examples need {folder / 'libcamp_ops.so'}", hint="run `camp build`"
        )
    environment = {
        **os.environ,
        "CAMP_BACKEND": backend,
        "CAMP_BUILD_DIR": str(folder),
        "PYTHONPATH": os.pathsep.join(
            [str(workspace.root), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
    }
    if path.suffix == ".py":
        return _run(path.name, [sys.executable, str(path)], environment)
    with tempfile.TemporaryDirectory(prefix="camp-example-") as name:
        program = Path(name) / path.stem
        compiled = _run(path.name, _compile(workspace, folder, path, program), environment)
        if not compiled.passed:
            return compiled
        return _run(path.name, [str(program)], environment)


def _compile(workspace: Workspace, folder: Path, source: Path, program: Path) -> list[str]:
    compiler = find_cc()
    if compiler is None:
        raise ToolchainError(
            "no C compiler found (cc, gcc or clang)", hint="install one, e.g. `apt install gcc`"
        )
    return [
        str(compiler),
        *WARNINGS,
        f"-I{workspace.root / 'native' / 'include'}",
        str(source),
        f"-L{folder}",
        "-lcamp_ops",
        f"-Wl,-rpath,{folder}",
        "-o",
        str(program),
    ]


def _run(name: str, command: list[str], environment: dict[str, str]) -> ExampleResult:
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ExampleResult(name, False, f"no end within {TIME_LIMIT_S} s")
    output = done.stdout.rstrip()
    if done.returncode < 0:
        output += f"\nended by signal {-done.returncode}"
    return ExampleResult(name, done.returncode == 0, output)
