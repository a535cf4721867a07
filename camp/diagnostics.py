"""diagnostics: finds the messages of compilers, linkers and the translator in a build's output."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from camp.errors import Diagnostic

# kernel.cuh:12:5: error: 'foo' was not declared          (g++, clang, the translator)
_HOST = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)?\s+"
    r"(?P<severity>fatal error|error|warning|note):\s+(?P<message>.*)"
)
# kernel.cuh(12): error: identifier "foo" is undefined     (nvcc)
_NVCC = re.compile(
    r"(?P<file>[^\s(][^(]*)\((?P<line>\d+)\):\s+"
    r"(?P<severity>catastrophic error|error|warning)(?:\s+#[\w-]+)?:\s+(?P<message>.*)"
)
# ptxas error   : Entry function '...' uses too much shared data
_PTXAS = re.compile(
    r"(?P<tool>ptxas|nvlink|nvcc)\s+(?P<severity>fatal|error)\s*:\s+(?P<message>.*)"
)
# /usr/bin/ld: kernel.cuh:12: undefined reference to `foo'
_LINK = re.compile(
    r"(?:\S*ld(?:\.\w+)?: )?(?P<file>[^\s:][^:]*?):(?:(?P<line>\d+)|\(\S+\)):\s+"
    r"(?P<message>(?:undefined reference to|multiple definition of) .*)"
)
_CMAKE = re.compile(r"CMake Error(?: at (?P<file>[^:]+):(?P<line>\d+))?.*")
# kernel.cuh:30:9:   required from here                    (g++, before the error)
_REQUIRED = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+):\s+required (?:from|by)"
)
# instantiation of "void f<T>() [with T=float]" at line 30 of kernel.cuh     (nvcc, after the error)
_INSTANTIATED = re.compile(r"\s+.* at line (?P<line>\d+) of (?P<file>.*)")


def parse(output: str) -> list[Diagnostic]:
    """Every message in the output, in order; each once."""
    found: dict[tuple[str, int, int, str], Diagnostic] = {}
    for line in output.splitlines():
        diagnostic = _line(line)
        if diagnostic is not None:
            key = (diagnostic.file, diagnostic.line, diagnostic.column, diagnostic.message)
            found.setdefault(key, diagnostic)
    return list(found.values())


def _line(line: str) -> Diagnostic | None:
    for pattern in (_HOST, _NVCC, _LINK, _PTXAS):
        match = pattern.match(line)
        if match is None:
            continue
        parts = match.groupdict()
        severity = parts.get("severity") or "error"
        return Diagnostic(
            file=parts.get("file") or parts.get("tool") or "",
            line=int(parts.get("line") or 0),
            column=int(parts.get("column") or 0),
            message=parts["message"].strip(),
            severity=severity if severity in ("warning", "note") else "error",
        )
    return None


def errors(output: str, learner_files: Sequence[Path]) -> list[Diagnostic]:
    """The errors of a failed build, those in the learner's files first.

    Beside one of those, errors in the .cu file that includes the kernel are left out: they follow
    from it and explain nothing.
    An error deep in a header that the learner's line caused is told at the learner's line.
    """
    names = {str(path) for path in learner_files}
    mine: list[Diagnostic] = []
    others: list[Diagnostic] = []
    cause: Diagnostic | None = None  # the learner's line that the following error comes from
    last: Diagnostic | None = None
    for line in output.splitlines():
        required = _REQUIRED.match(line)
        if required is not None:
            if required["file"] in names:
                cause = Diagnostic(
                    required["file"], int(required["line"]), int(required["column"]), ""
                )
            continue
        diagnostic = _line(line)
        if diagnostic is None:
            place = _INSTANTIATED.match(line)
            if place is not None and place["file"] in names and last in others:
                others.remove(last)
                mine.append(_moved(last, Diagnostic(place["file"], int(place["line"]), 0, "")))
            continue
        if diagnostic.severity == "error":
            last = diagnostic
            if diagnostic.file in names:
                mine.append(diagnostic)
            elif cause is not None:
                mine.append(_moved(diagnostic, cause))
            else:
                others.append(diagnostic)
            cause = None
        elif diagnostic.severity == "note" and last in others and diagnostic.file in names:
            # clang tells the cause after the error.
            others.remove(last)
            mine.append(_moved(last, diagnostic))
    if mine:
        others = [diagnostic for diagnostic in others if not diagnostic.file.endswith(".cu")]
    return _unique(mine) + _unique(others)


def _moved(error: Diagnostic, place: Diagnostic) -> Diagnostic:
    where = f"{Path(error.file).name}:{error.line}" if error.line else error.file
    return Diagnostic(
        place.file, place.line, place.column, f"{error.message} (in {where}, used here)"
    )


def _unique(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    return list(dict.fromkeys(diagnostics))


def cmake_message(output: str) -> str:
    """The text of the first CMake error, on one line; "" when there is none."""
    lines = output.splitlines()
    for i, line in enumerate(lines):
        if _CMAKE.match(line):
            body = [line.split("CMake Error:", 1)[1].strip()] if "CMake Error:" in line else []
            for following in lines[i + 1 :]:
                if following and not following.startswith(" "):
                    break
                if following.strip():
                    body.append(following.strip())
                elif body:
                    break
            return " ".join(body)
    return ""
