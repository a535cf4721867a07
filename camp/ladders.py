"""ladders: an operator's kernel from naive to final, and the rules that the steps must keep.

exercises/<op>/steps/NN_<slug>.cuh are whole kernel files, numbered from 01 on. The last version is
the solution itself, of a shipped operator its own kernel.cuh.
"""

from __future__ import annotations

import re
from pathlib import Path

from camp.errors import UsageError
from camp.exercises import exercise_folder, solution_path
from camp.spec import list_specs

MOST_STEPS, FEWEST_STEPS = 5, 2  # the solution is one more
_NAME = re.compile(r"(?P<number>\d\d)_[a-z0-9_]+\Z")
_HEADER = ("Thread mapping:", "Bytes moved:", "Preconditions:")


def steps(root: Path, op: str) -> list[Path]:
    """The kernel files of steps/, in order; none for an operator without a ladder."""
    return sorted((exercise_folder(root, op) / "steps").glob("*.cuh"))


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
    """What tables and lessons call a version: the step's name, such as 01_naive, or "solution"."""
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
    for number, path in enumerate(found, start=1):
        name = f"{folder}/{path.name}"
        match = _NAME.match(path.stem)
        if not match or int(match["number"]) != number:
            problems.append(f"{name}: is step {number}, and must be named {number:02}_<slug>.cuh")
        before = found[number - 2].stem if number > 1 else ""
        problems += [f"{name}: {text}" for text in _check_header(path, op, before)]
        if f"`{path.stem}`" not in lesson:
            problems.append(f"exercises/{op}/lesson.md: says nothing of `{path.stem}`")
    return problems


def _check_header(path: Path, op: str, before: str) -> list[str]:
    """The comment on top: what it computes, how, and what changed since the step `before`."""
    header = path.read_text(encoding="utf-8").partition("#pragma once")[0]
    problems = []
    if not header.startswith(f"// {path.name}: {op}"):
        problems.append(f"the first line must begin with '// {path.name}: {op}'")
    changed = f"Since {before}:" if before else "The first step:"
    problems += [
        f"the header has no line '// {wanted} ...'"
        for wanted in (*_HEADER, changed)
        if f"\n// {wanted}" not in header
    ]
    return problems
