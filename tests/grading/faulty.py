"""The known-bad kernels of tests/faulty, and graders for them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from camp.errors import BuildError
from camp.grading.check import runtime_library
from camp.grading.grader import Grader
from camp.grading.symbols import Symbols
from camp.workspace import Workspace

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parents[1] / "faulty"
FAULTS: list[dict[str, Any]] = tomllib.loads((FOLDER / "cases.toml").read_text())["fault"]
ROWS: dict[str, Any] = tomllib.loads((FOLDER / "rows.toml").read_text())
SEED = 62

Libraries = dict[Path, Path | BuildError]


def kernel(fault: dict[str, Any], *, fixed: bool) -> Path:
    suffix = "_fixed" if fixed else ""
    return FOLDER / fault["op"] / f"{fault['id']}_{fault['slug']}{suffix}.cuh"


def grader_of(fault: dict[str, Any], library: Path | BuildError) -> Grader:
    if isinstance(library, BuildError):
        pytest.fail("\n".join([library.message, *map(str, library.diagnostics)]), pytrace=False)
    grader = Grader(fault["op"], backend="sim", seed=SEED)
    ws = Workspace.find(Path(__file__))
    grader.use(runtime_library(ws, "sim"), library, Symbols(library))
    return grader
