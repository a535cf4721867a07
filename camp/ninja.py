"""ninja: builds targets of a configured folder and reads from the output which of them failed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from camp import diagnostics
from camp.build_process import Progress, compile_event, run
from camp.configure import Settings
from camp.elf import is_complete
from camp.errors import BuildError

LOG_NAME = "camp-build.log"

# Signs that a file in the build folder is damaged, not the learner's code.
_DAMAGED = re.compile(
    r"^ninja: (?:error|fatal)|file truncated|file format not recognized|file not recognized"
    r"|not a PCH file|\.gch: (?:created|had|not)|error adding symbols|bad reloc|is truncated",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Target:
    """A library to build. `learner_files` are where its errors should be told; `problem` is why
    it cannot even be tried, or ""."""

    name: str
    library: Path
    learner_files: tuple[Path, ...]
    problem: str = ""


def run_ninja(
    folder: Path, wanted: Settings, targets: Sequence[Target], progress: Progress | None
) -> tuple[int, str]:
    """ninja's exit status and output. Libraries that are not whole are built again."""

    def on_line(line: str) -> None:
        event = compile_event(line)
        if event is not None and progress:
            progress(event)

    runtime = folder / "libcamp_runtime.so"
    if not (folder / f"libcamp_runtime_{wanted.values['backend']}.so").exists():
        runtime.unlink(missing_ok=True)  # the name operators load it by is made when it is linked
    for library in (runtime, *(target.library for target in targets)):
        if library.exists() and not is_complete(library):
            library.unlink()
    command = [str(wanted.values["ninja"]), "-C", str(folder), "-k", "0"]
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "")
    if jobs.isdigit() and int(jobs) > 0:
        command += ["-j", jobs]
    command += [target.name for target in targets]
    return run(command, cwd=folder, environment=wanted.environment, on_line=on_line)


def find_damage(targets: Sequence[Target], status: int, output: str) -> str:
    """What shows that the folder, not the code, is at fault; "" when nothing does."""
    if status == 0:
        broken = [target for target in targets if not is_complete(target.library)]
        return f"{broken[0].library} is not a complete library" if broken else ""
    match = _DAMAGED.search(output)
    return output[match.start() :].splitlines()[0] if match else ""


def read_results(
    folder: Path, targets: Sequence[Target], status: int, output: str, damaged: str
) -> dict[str, Path | BuildError]:
    """Target name -> its library, or the BuildError made of what failed for it."""
    blocks = _failures(output)
    results: dict[str, Path | BuildError] = {}
    names = [target.name for target in targets]
    shared = [text for outputs, text in blocks if not any(_concerns(n, outputs) for n in names)]
    for target in targets:
        own = [text for outputs, text in blocks if _concerns(target.name, outputs)]
        if status == 0 or not (own or shared or damaged):
            results[target.name] = target.library
            continue
        log = "\n".join([*own, *shared]) or output
        found = diagnostics.errors(log, target.learner_files)
        what = str(found[0]) if found else damaged or _last_line(log)
        results[target.name] = BuildError(
            what, diagnostics=found, log=log, hint=f"log: {folder / LOG_NAME}"
        )
    return results


def _concerns(name: str, outputs: str) -> bool:
    """Whether a failed step's outputs belong to a target."""
    return re.search(rf"(?<![A-Za-z0-9_])(?:lib)?{name}(?:_objects)?(?!\w)", outputs) is not None


def _failures(output: str) -> list[tuple[str, str]]:
    """ninja's failed steps: (their outputs, what the tool printed)."""
    found: list[tuple[str, str]] = []
    lines = output.splitlines()
    i = 0
    while i < len(lines):
        if not lines[i].startswith("FAILED:"):
            i += 1
            continue
        start = i
        i += 1
        while i < len(lines) and not re.match(r"\[\d+/\d+\] |FAILED:|ninja: ", lines[i]):
            i += 1
        found.append((lines[start], "\n".join(lines[start + 2 : i])))  # the command is line 1
    return found


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "the build failed without a message"
