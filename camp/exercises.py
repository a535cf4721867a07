"""exercises: learners' files, generated from the solutions, and the rules an exercise must keep.

A solution marks what the learner has to write:

    // camp:solution-begin 1: what to do
    ... code ...
    // camp:solution-end

and the scaffold has, in place of the region, the one line `// TODO(camp) 1: what to do` at the
marker's indentation. Numbers give the order of work, not the order in the file.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from camp.errors import InternalError, StorageError, UsageError
from camp.spec import list_specs, load_spec

_BEGIN = re.compile(r"^(?P<indent>[ ]*)// camp:solution-begin (?P<number>\d+): (?P<text>\S.*)$")
_END = re.compile(r"^[ ]*// camp:solution-end$")
_MARK = "camp:solution"
_TODO = re.compile(r"//[ ]*TODO\(camp\)[ ]*(?P<number>\d+):[ ]*(?P<text>.*)")
_HINT = re.compile(r"^## TODO (?P<number>\d+)\b", re.MULTILINE)


@dataclass(frozen=True)
class Todo:
    """A step that is left to do: its number, its 1-based line and what it says."""

    number: int
    line: int
    text: str


def exercise_folder(root: Path, op: str) -> Path:
    return root / "exercises" / op


def solution_path(root: Path, op: str) -> Path:
    """A kernel file that passes: the solution, or for a shipped operator its own kernel.cuh."""
    spec = load_spec(root, op)
    return spec.kernel if spec.shipped else exercise_folder(root, op) / "solution" / "kernel.cuh"


def scaffold_of(solution: str, *, name: str = "solution") -> str:
    """The scaffold of a solution's text. Raises InternalError where the markers do not pair up."""
    lines: list[str] = []
    open_line = 0  # of the region being skipped; 0 outside
    numbers: list[int] = []
    for at, line in enumerate(solution.splitlines(keepends=True), start=1):
        text = line.rstrip("\n")
        begin = _BEGIN.match(text)
        if begin:
            if open_line:
                raise InternalError(f"{name}:{at}: the region of line {open_line} is still open")
            open_line = at
            numbers.append(int(begin["number"]))
            lines.append(f"{begin['indent']}// TODO(camp) {begin['number']}: {begin['text']}\n")
        elif _END.match(text):
            if not open_line:
                raise InternalError(f"{name}:{at}: no region is open here")
            open_line = 0
        elif _MARK in text:
            raise InternalError(f"{name}:{at}: malformed marker: {text.strip()}")
        elif not open_line:
            lines.append(line)
    if open_line:
        raise InternalError(f"{name}:{open_line}: this region is never closed")
    if sorted(numbers) != list(range(1, len(numbers) + 1)) or not numbers:
        raise InternalError(f"{name}: TODO numbers must be 1 to n, each once; found {numbers}")
    return "".join(lines)


def scaffold(root: Path, op: str) -> str:
    """The text of kernel.cuh as a learner first sees it.

    Raises UnknownOperatorError, or UsageError for an operator that is shipped implemented.
    """
    if load_spec(root, op).shipped:
        raise UsageError(f"{op} is shipped implemented; it has no exercise")
    path = exercise_folder(root, op) / "solution" / "kernel.cuh"
    return scaffold_of(_read(path), name=str(path))


def is_untouched(root: Path, op: str, kernel_path: Path | None = None) -> bool:
    """Whether the kernel file (default: the learner's) still equals its scaffold.

    Trailing blanks and line ends do not count: an editor may change them on its own.
    """
    spec = load_spec(root, op)
    if spec.shipped:
        return False
    return _bare(_read(kernel_path or spec.kernel)) == _bare(scaffold(root, op))


def todos(root: Path, op: str, kernel_path: Path | None = None) -> list[Todo]:
    """The TODO(camp) lines left in the kernel file (default: the learner's), by number."""
    text = _read(kernel_path or load_spec(root, op).kernel)
    found = [
        Todo(int(match["number"]), at, match["text"].strip())
        for at, line in enumerate(text.splitlines(), start=1)
        if (match := _TODO.search(line))
    ]
    return sorted(found, key=lambda todo: (todo.number, todo.line))


def first_todo(root: Path, op: str, kernel_path: Path | None = None) -> Todo | None:
    """The TODO(camp) with the lowest number, or None when none is left."""
    return next(iter(todos(root, op, kernel_path)), None)


def hint(root: Path, op: str, number: int) -> str:
    """The section of hints.md about one TODO, without its heading; "" when there is none."""
    text = _read(exercise_folder(root, op) / "hints.md")
    matches = list(_HINT.finditer(text))
    for match, after in zip(matches, [*matches[1:], None], strict=True):
        if int(match["number"]) == number:
            section = text[match.end() : after.start() if after else len(text)]
            return section.partition("\n")[2].strip()
    return ""


def reset(root: Path, op: str) -> Path | None:
    """Puts the scaffold back in place of the learner's kernel.cuh.

    Work is never lost: a file that differs from the scaffold is first kept under .camp/replaced,
    and the path of that copy is returned; None when there was nothing to keep.
    """
    text = scaffold(root, op)
    kernel = load_spec(root, op).kernel
    kept: Path | None = None
    if kernel.exists() and not is_untouched(root, op):
        folder = root / ".camp" / "replaced"
        kept = next(path for n in count(1) if not (path := folder / f"{op}-{n}.cuh").exists())
        write_file(kept, _read_bytes(kernel))
    write_file(kernel, text)
    return kept


def write_file(path: Path, content: str | bytes) -> None:
    """Writes a file whole or not at all. Raises StorageError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror or error}") from error


def dev_check(root: Path) -> list[str]:
    """What is wrong with the exercises of this tree, one sentence each; empty when all is well."""
    problems: list[str] = []
    specs = list_specs(root)
    if not specs:
        problems.append("ops/: no operator was found")
    for spec in specs:
        problems += _check_shipped(root, spec.id) if spec.shipped else _check(root, spec.id)
    known = {spec.id for spec in specs}
    folders = sorted(path.name for path in (root / "exercises").glob("*") if path.is_dir())
    problems += [f"exercises/{name}: no such operator" for name in folders if name not in known]
    return problems


def _check(root: Path, op: str) -> list[str]:
    folder = exercise_folder(root, op)
    problems = _stray(root, op, {"lesson.md", "hints.md", "solution/kernel.cuh"})
    try:
        text = scaffold(root, op)
    except (InternalError, StorageError) as error:
        return [*problems, str(error)]
    kernel = load_spec(root, op).kernel
    if not kernel.is_file() or _read(kernel) != text:
        problems.append(f"ops/{op}/nvidia/kernel.cuh: is not the scaffold of the solution")
    lesson = _read(folder / "lesson.md") if (folder / "lesson.md").is_file() else ""
    hinted = (folder / "hints.md").is_file()
    for match in _TODO.finditer(text):
        number = int(match["number"])
        if f"TODO {number}" not in lesson:
            problems.append(f"exercises/{op}/lesson.md: says nothing of TODO {number}")
        if hinted and not hint(root, op, number):
            problems.append(f"exercises/{op}/hints.md: has no section '## TODO {number}'")
    return problems


def _check_shipped(root: Path, op: str) -> list[str]:
    problems = _stray(root, op, {"lesson.md"})
    kernel = load_spec(root, op).kernel
    if not kernel.is_file():
        problems.append(f"ops/{op}/nvidia/kernel.cuh: is missing, though op.toml says shipped")
    elif todos(root, op):
        problems.append(f"ops/{op}/nvidia/kernel.cuh: has TODOs, though op.toml says shipped")
    return problems


def _stray(root: Path, op: str, wanted: set[str]) -> list[str]:
    """Missing, empty and unexpected files of one exercise. steps/ may hold any kernel files."""
    folder = exercise_folder(root, op)
    present = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    problems = [f"exercises/{op}/{name}: is missing" for name in sorted(wanted - set(present))]
    for name, path in sorted(present.items()):
        if name in wanted:
            if not _read(path).strip():
                problems.append(f"exercises/{op}/{name}: is empty")
        elif not (name.startswith("steps/") and name.endswith(".cuh")):
            problems.append(f"exercises/{op}/{name}: is a stray file")
    return problems


def _read(path: Path) -> str:
    try:
        # A learner's comment may be in any encoding; the code itself is ASCII.
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}") from error


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}") from error


def _bare(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]
