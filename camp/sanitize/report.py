"""sanitize.report: the text that compute-sanitizer prints, as records.

A record is a run of lines behind "=========", ended by one that holds nothing more:

    ========= Invalid __global__ read of size 4 bytes
    =========     at copy_kernel(float *, const float *, long)+0xd0 in /clone/kernel.cuh:14
    =========     by thread (232,0,0) in block (3,0,0)
    =========     Access to 0x7f3948a01fa0 is out of bounds
    =========         Device Frame: ... (the callers of an inlined function)

The text, not the XML file, is read: it is there up to the moment at which a tool is stopped, it
holds the callers, and its order against the worker's marks tells which case a record belongs to.
Recorded with version 2025.3; what a record of another version holds besides is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from camp.apart_plan import read_mark

_PREFIX = "========="
_AXES = r"\((\d+),\s*(\d+),\s*(\d+)\)"
_FRAME = re.compile(
    r"(?:at|Device Frame:)\s*(?P<function>.*?)(?:\+0x[0-9a-f]+)?"
    r"(?:\s+in\s+(?P<file>.+):(?P<line>\d+))?$"
)
_THREAD = re.compile(rf"by thread {_AXES} in block {_AXES}")
_ADDRESS = re.compile(r"(?:Access to|Address) (?P<address>0x[0-9a-f]+)(?: is (?P<error>[\w ]+))?")
_INVALID = re.compile(
    r"Invalid __(?P<space>\w+)__ (?P<access>read|write|atomic) of size (?P<bytes>\d+)"
)
_UNINITIALISED = re.compile(r"Uninitialized __(?P<space>\w+)__ memory read of size (?P<bytes>\d+)")
_BARRIER = re.compile(r"Barrier error detected\. (?P<what>[^.]*)")
_HAZARD = re.compile(
    rf"Potential (?P<hazard>RAW|WAR|WAW) hazard detected at __(?P<space>\w+)__ "
    rf"(?P<address>0x[0-9a-f]+) in block {_AXES}"
)
_SIDE = re.compile(rf"(?P<access>Read|Write|Atomic)\w* Thread {_AXES} (?P<frame>at .*)")
_HEADING = "COMPUTE-SANITIZER"
_SUMMARY = re.compile(r"\w+ SUMMARY: |Target application returned an error")
_TROUBLE = re.compile(r"(?:Internal Sanitizer )?Error: (?P<text>.*)")

OUT_OF_BOUNDS, MISALIGNED, UNINITIALISED = "out_of_bounds", "misaligned", "uninitialised"
BARRIER, RACE = "barrier", "race"
Axes = tuple[int, int, int]


@dataclass(frozen=True)
class Frame:
    """A place of the kernel's code; line 0 where it was built without line information."""

    function: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Side:
    """One thread and what it did. frames: innermost first, then the callers."""

    frames: tuple[Frame, ...] = ()
    access: str = ""
    thread: Axes | None = None


@dataclass(frozen=True)
class Record:
    """One thing that was found. other: the earlier access of a race. text: the tool's own words.

    address: None for a barrier. what: for a barrier, what was wrong with it; for a race RAW, WAR or
    WAW. case: the id of the case that ran, "" where no mark tells.
    """

    kind: str
    text: str
    side: Side
    block: Axes | None = None
    other: Side | None = None
    space: str = ""
    address: int | None = None
    bytes: int = 0
    what: str = ""
    case: str = ""


@dataclass(frozen=True)
class CaseRun:
    """What the worker said of one case: where its tensors lay, and how it ended ("" while it had
    not)."""

    id: str
    memory: dict[str, tuple[int, int]] = field(default_factory=dict)
    status: str = ""
    message: str = ""


@dataclass(frozen=True)
class ToolOutput:
    """All that one run of a tool said. trouble: the tool's own complaints, in its words."""

    records: tuple[Record, ...] = ()
    cases: tuple[CaseRun, ...] = ()
    trouble: tuple[str, ...] = ()
    summary: bool = False  # it came to its end


def read_output(text: str, mark: str) -> ToolOutput:
    """Reads what a tool and the worker under it printed. Lines of neither are passed over."""
    cases: dict[str, CaseRun] = {}
    records: list[Record] = []
    trouble: list[str] = []
    current = ""
    summary = False
    for item in _items(text, mark):
        if isinstance(item, dict):
            run = _case_of(item, cases)
            if run is not None:
                cases[run.id] = run
                current = "" if run.status else run.id
        elif _SUMMARY.match(item[0]):
            summary = summary or "SUMMARY" in item[0]
        elif (record := _record(item, current)) is not None:
            records.append(record)
        elif (match := _TROUBLE.match(item[0])) is not None:
            trouble.append(match["text"])
    return ToolOutput(tuple(records), tuple(cases.values()), tuple(trouble), summary)


def _items(text: str, mark: str) -> Iterator[list[str] | dict[str, Any]]:
    """The worker's marks, and the lines of each block of the tool."""
    block: list[str] = []
    for line in text.splitlines():
        words = read_mark(line, mark)
        at = line.find(_PREFIX)  # behind what a kernel printed without a newline
        content = line[at + len(_PREFIX) :].strip() if at >= 0 else ""
        if content == _HEADING:
            continue
        if words is None and content:
            if block and _begins(content):
                yield block
                block = []
            block.append(content)
            continue
        if (at >= 0 or words is not None) and block:
            yield block
            block = []
        if words is not None:
            yield words
    if block:
        yield block


def _begins(content: str) -> bool:
    """Whether a line opens a block although none was closed before it."""
    return bool(
        _SUMMARY.match(content)
        or _INVALID.match(content)
        or _UNINITIALISED.match(content)
        or _BARRIER.match(content)
        or _TROUBLE.match(content)
    )


def _case_of(words: dict[str, Any], cases: dict[str, CaseRun]) -> CaseRun | None:
    try:
        if "begin" in words:
            memory = {str(k): (int(v[0]), int(v[1])) for k, v in words["memory"].items()}
            return CaseRun(str(words["begin"]), memory)
        name = str(words["end"])
        begun = cases.get(name, CaseRun(name))
        return CaseRun(name, begun.memory, str(words["status"]), str(words["message"]))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return None


def _record(lines: Sequence[str], case: str) -> Record | None:
    head = lines[0]
    if (match := _HAZARD.search(head)) is not None:
        return _race(lines, match, case)
    invalid, unset = _INVALID.match(head), _UNINITIALISED.match(head)
    barrier = _BARRIER.match(head)
    found = invalid or unset
    side = Side(_frames(lines[1:]), "", _axes(_first(_THREAD, lines), 0))
    block = _axes(_first(_THREAD, lines), 3)
    text = "; ".join(lines)
    if barrier is not None:
        return Record(BARRIER, text, side, block, what=barrier["what"], case=case)
    if found is None:
        return None
    address = _first(_ADDRESS, lines)
    error = (address["error"] if address else None) or ""
    kind = UNINITIALISED if unset else MISALIGNED if error == "misaligned" else OUT_OF_BOUNDS
    return Record(
        kind,
        text,
        Side(side.frames, invalid["access"] if invalid else "read", side.thread),
        block,
        space=found["space"],
        address=int(address["address"], 16) if address else None,
        bytes=int(found["bytes"]),
        case=case,
    )


def _race(lines: Sequence[str], head: re.Match[str], case: str) -> Record | None:
    """A hazard: its two sides come in the order in which they happened."""
    sides = []
    for line in lines[1:]:
        match = _SIDE.match(line)
        if match is not None:
            frame = _FRAME.match(match["frame"])
            frames = (_frame(frame),) if frame else ()
            sides.append(Side(frames, match["access"].lower(), _axes(match, 1)))
    if len(sides) != 2:
        return None
    return Record(
        RACE,
        "; ".join(lines),
        sides[1],
        _axes(head, 3),
        sides[0],
        space=head["space"],
        address=int(head["address"], 16),
        what=head["hazard"],
        case=case,
    )


def _frames(lines: Sequence[str]) -> tuple[Frame, ...]:
    matches = (_FRAME.match(line) for line in lines)
    return tuple(_frame(match) for match in matches if match is not None)


def _frame(match: re.Match[str]) -> Frame:
    return Frame(match["function"], match["file"] or "", int(match["line"] or 0))


def _first(pattern: re.Pattern[str], lines: Sequence[str]) -> re.Match[str] | None:
    return next((match for line in lines if (match := pattern.match(line))), None)


def _axes(match: re.Match[str] | None, skipped: int) -> Axes | None:
    """Three numbers of a match, after as many of its groups."""
    if match is None:
        return None
    x, y, z = (int(match[skipped + i]) for i in (1, 2, 3))
    return x, y, z
