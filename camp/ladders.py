"""ladders: an operator's kernel from naive to final, and the rules that the steps must keep.

exercises/<op>/steps/NN_<slug>.cuh are whole kernel files, numbered from 01 on. The last version is
the solution itself, of a shipped operator its own kernel.cuh. Beside the ladder there may be
steps/cute.cuh, the same work said in CuTe, for `nvidia` alone.
"""

from __future__ import annotations

import re
from pathlib import Path

from camp.errors import UsageError
from camp.exercises import exercise_folder, solution_path
from camp.spec import list_specs

MOST_STEPS, FEWEST_STEPS = 5, 2  # the solution is one more
CUTE = "cute.cuh"
_NAME = re.compile(r"(?P<number>\d\d)_[a-z0-9_]+\Z")
_HEADER = ("Thread mapping:", "Bytes moved:", "Preconditions:")


def steps(root: Path, op: str) -> list[Path]:
    """The numbered kernel files of steps/, in order; none for an operator without a ladder."""
    found = sorted((exercise_folder(root, op) / "steps").glob("*.cuh"))
    return [path for path in found if path.name != CUTE]


def cute_version(root: Path, op: str) -> Path | None:
    """The kernel file that is written in CuTe, if the operator has one."""
    path = exercise_folder(root, op) / "steps" / CUTE
    return path if path.is_file() else None


def ladder(root: Path, op: str) -> list[Path]:
    """The steps, then the solution. Raises UnknownOperatorError."""
    return [*steps(root, op), solution_path(root, op)]


def step_path(root: Path, op: str, number: int) -> Path:
    """Version `number` of the ladder, from 1 on; the last one is the solution. Raises UsageError
    for a number that the ladder does not have."""
    versions = ladder(root, op)
    if not 1 <= number <= len(versions):
        names = ", ".join(f"{n} {version_name(path)}" for n, path in enumerate(versions, start=1))
        raise UsageError(f"{op} has no step {number}", hint=f"its steps: {names}")
    return versions[number - 1]


def version_name(path: Path) -> str:
    """What tables and lessons call a version: such as 01_naive, or "cute", or "solution"."""
    return path.stem if path.parent.name == "steps" else "solution"


def check_ladders(root: Path) -> list[str]:
    """What is wrong with the ladders of this tree, one sentence each; empty when all is well."""
    return [problem for spec in list_specs(root) for problem in _check(root, spec.id)]


def _check(root: Path, op: str) -> list[str]:
    found = steps(root, op)
    if not found:
        return []
    folder = f"exercises/{op}/steps"
    problems = []
    if not FEWEST_STEPS <= len(found) <= MOST_STEPS:
        problems.append(
            f"{folder}: has {len(found)} steps; {FEWEST_STEPS} to {MOST_STEPS} lead to the solution"
        )
    lesson_path = exercise_folder(root, op) / "lesson.md"
    lesson = lesson_path.read_text(encoding="utf-8") if lesson_path.is_file() else ""
    why = "The first step:"  # opens the sentences on what a version is there for
    for number, path in enumerate(found, start=1):
        match = _NAME.match(path.stem)
        if not match or int(match["number"]) != number:
            wanted = f"{number:02}_<slug>.cuh"
            problems.append(f"{folder}/{path.name}: is step {number}, and must be named {wanted}")
        problems += _check_version(path, op, why, lesson)
        why = f"Since {path.stem}:"
    cute = cute_version(root, op)
    return problems + (_check_version(cute, op, "Needs CuTe:", lesson) if cute else [])


def _check_version(path: Path, op: str, why: str, lesson: str) -> list[str]:
    """The comment on top of a kernel file, and the lesson's word on it."""
    name = f"exercises/{op}/steps/{path.name}"
    header = path.read_text(encoding="utf-8").partition("#pragma once")[0]
    problems = []
    if not header.startswith(f"// {path.name}: {op}"):
        problems.append(f"{name}: the first line must begin with '// {path.name}: {op}'")
    problems += [
        f"{name}: the header has no line '// {wanted} ...'"
        for wanted in (*_HEADER, why)
        if f"\n// {wanted}" not in header
    ]
    if f"`{path.stem}`" not in lesson:
        problems.append(f"exercises/{op}/lesson.md: says nothing of `{path.stem}`")
    return problems
