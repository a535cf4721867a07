"""simulator.symbolize: program counters of a library to lines of the learner's file.

Translated sources carry #line directives, so debug information already names the originals.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Frames of the simulator's own headers are never the place a learner wants to see.
_OWN_HEADERS = str(Path(__file__).resolve().parent.parent.parent / "native" / "sim") + os.sep
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d+)(?::\d+)?(?: \(discriminator \d+\))?\Z")
_SECONDS = 30


@dataclass(frozen=True)
class Frame:
    """A function and the line in it; `file` is absolute where the compiler knew it."""

    file: str
    line: int
    function: str

    @property
    def is_ours(self) -> bool:
        """Whether it is in the simulator's own headers."""
        return self.file.startswith(_OWN_HEADERS)


@dataclass(frozen=True)
class Place:
    """Where a program counter is. `frames` has inlined calls too, innermost first."""

    file: str
    line: int
    function: str
    frames: tuple[Frame, ...] = ()


def symbolize(counters: Sequence[tuple[Path, int]]) -> list[Place | None]:
    """A place for each (library, offset), in order; None where it is unknown.

    Offsets count from the library's first byte in memory. Never raises: without addr2line and
    llvm-symbolizer, or without the library, every answer is None.
    """
    modules: dict[Path, list[int]] = {}
    for module, offset in counters:
        modules.setdefault(module, []).append(offset)
    places = {
        (module, offset): place
        for module, offsets in modules.items()
        for offset, place in _module(module, sorted(set(offsets))).items()
    }
    return [places.get((module, offset)) for module, offset in counters]


def find_symbolizer() -> list[str] | None:
    """The command that reads debug information, without its library and addresses."""
    for name in ("addr2line", "llvm-addr2line", "llvm-symbolizer"):
        program = shutil.which(name)
        if program:
            style = ["--output-style=GNU"] if name == "llvm-symbolizer" else []
            return [program, *style]
    return None


def _module(module: Path, offsets: Sequence[int]) -> dict[int, Place]:
    command = find_symbolizer()
    if command is None:
        return {}
    try:
        result = subprocess.run(
            [*command, "-a", "-f", "-C", "-i", "-e", str(module)],
            input="".join(f"{offset:#x}\n" for offset in offsets),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "LC_ALL": "C"},
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    return parse(result.stdout)


def parse(output: str) -> dict[int, Place]:
    """The output of `addr2line -a -f -i`: an address line, then pairs of function and place."""
    found: dict[int, Place] = {}
    frames: list[Frame] = []
    offset: int | None = None

    def finish() -> None:
        place = _choose(frames)
        if offset is not None and place is not None:
            found[offset] = place

    lines = iter(output.splitlines())
    for line in lines:
        if re.fullmatch(r"0x[0-9a-fA-F]+", line):
            finish()
            offset, frames = int(line, 16), []
            continue
        match = _PLACE.match(next(lines, ""))
        if match and int(match["line"]) and not match["file"].startswith("??"):
            frames.append(Frame(os.path.normpath(match["file"]), int(match["line"]), line))
    finish()
    return found


def _choose(frames: Sequence[Frame]) -> Place | None:
    """The innermost frame outside the simulator's headers, else the innermost of all."""
    if not frames:
        return None
    frame = next((f for f in frames if not f.is_ours), frames[0])
    return Place(frame.file, frame.line, frame.function, tuple(frames))
