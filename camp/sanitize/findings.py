"""sanitize.findings: records of compute-sanitizer as the faults that the simulator reports: the
same kinds, verdicts, sentences and places, so that they look the same and the same pages explain
them. Alike ones are folded into one with its count."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from camp.apart_plan import PlannedCase
from camp.grading.dtypes import dtype_of
from camp.grading.faults import Fault, Location
from camp.grading.verdict import Verdict, cause_rank
from camp.sanitize.report import (
    BARRIER,
    MISALIGNED,
    RACE,
    UNINITIALISED,
    Axes,
    CaseRun,
    Frame,
    Record,
    Side,
)

_NULL_PAGE_BYTES = 4096
_NEAR_BYTES = 1 << 20  # an address farther from every tensor belongs to none
_WARP = 32
_VERBS = {"read": "reads", "write": "writes", "atomic": "atomically updates"}
_PAST = {"read": "read", "write": "wrote", "atomic": "atomically updated"}


@dataclass(frozen=True)
class Target:
    """The element that an access meant."""

    name: str
    index: int
    elements: int


def faults_of(
    records: Iterable[Record],
    cases: Mapping[str, PlannedCase],
    runs: Mapping[str, CaseRun],
    kernel: Path,
) -> list[tuple[str, Fault]]:
    """(id of the first case, fault) for each finding, causes first. kernel: the learner's file."""
    folded: dict[tuple[object, ...], tuple[str, Fault]] = {}
    for record in records:
        target = _target(record, cases.get(record.case), runs.get(record.case))
        fault = _fault(record, target, kernel)
        name = target.name if target else ""
        key = (fault.kind, fault.location, fault.other_location, name, record.side.access)
        case, first = folded.setdefault(key, (record.case, replace(fault, count=0)))
        folded[key] = case, replace(first, count=first.count + 1)
    return sorted(folded.values(), key=lambda pair: cause_rank(pair[1].verdict))


def _fault(record: Record, target: Target | None, kernel: Path) -> Fault:
    kind, verdict, message, advice = _words(record, target)
    other = record.other
    raw: dict[str, Any] = {"kind": kind, "tool_says": record.text}
    if record.side.frames:
        raw["kernel"] = record.side.frames[-1].function
    raw.update(_who("", record.side, record.block))
    if other is not None:
        raw.update(_who("other_", other, record.block))
    if target is not None:
        raw.update(tensor=target.name, index=target.index, elements=target.elements)
    if record.side.access:
        raw.update(space=record.space, access=record.side.access, bytes=record.bytes)
    return Fault(
        kind=kind,
        verdict=verdict,
        is_error=True,
        message=message,
        advice=advice,
        count=1,
        location=_location(record.side.frames, kernel),
        other_location=_location(other.frames, kernel) if other else None,
        raw=raw,
    )


def _who(prefix: str, side: Side, block: Axes | None) -> dict[str, list[int]]:
    found = {f"{prefix}thread": side.thread, f"{prefix}block": block}
    return {key: list(axes) for key, axes in found.items() if axes is not None}


def _location(frames: tuple[Frame, ...], kernel: Path) -> Location | None:
    """The innermost line of the learner's file, else the innermost line that is known."""
    known = [frame for frame in frames if frame.line]
    path = os.path.realpath(kernel)
    mine = [frame for frame in known if os.path.realpath(frame.file) == path]
    for frame in [*mine, *known]:
        return Location(frame.file, frame.line, frame.function)
    return None


def _target(record: Record, case: PlannedCase | None, run: CaseRun | None) -> Target | None:
    """The element at a global address: of the nearest tensor that may be accessed so."""
    if record.address is None or record.space != "global" or case is None or run is None:
        return None
    best: tuple[int, Target] | None = None
    items = {tensor.name: dtype_of(tensor.dtype).bytes for tensor in case.tensors}
    read_only = {tensor.name for tensor in case.tensors if tensor.values is not None}
    for name, (start, size) in run.memory.items():
        if not start or (record.side.access != "read" and name in read_only):
            continue
        distance = max(start - record.address, record.address - (start + size - 1), 0)
        item = items.get(name, 1)
        target = Target(name, (record.address - start) // item, size // item)
        if distance <= _NEAR_BYTES and (best is None or distance < best[0]):
            best = distance, target
    return best[1] if best else None


def _words(record: Record, target: Target | None) -> tuple[str, Verdict, str, str]:
    """Kind, verdict, message and advice."""
    verb = _VERBS.get(record.side.access, "accesses")
    if record.kind == BARRIER:
        return _barrier(record)
    if record.kind == RACE:
        return _race(record)
    if record.kind == MISALIGNED:
        where = f"{target.name}[{target.index}], an address" if target else "an address"
        return (
            "misaligned",
            Verdict.MISALIGNED,
            f"a thread {verb} {record.bytes} bytes at {where} that is no multiple of them",
            "A vector access needs an aligned address: handle the elements before the first "
            "aligned one one by one, or take the scalar path.",
        )
    if record.kind == UNINITIALISED:
        what = f"{target.name}[{target.index}]" if target else f"{record.bytes} bytes"
        return (
            "uninitialised_read",
            Verdict.UNINIT,
            f"a thread reads {what} before anything wrote it",
            "Outputs start with rubbish: write them, or zero them in the launcher, before they are "
            "read.",
        )
    return _bounds(record, target, verb)


def _bounds(record: Record, target: Target | None, verb: str) -> tuple[str, Verdict, str, str]:
    if record.space == "global" and (record.address or 0) < _NULL_PAGE_BYTES:
        advice = "Check which pointer is passed to the kernel, and whether it is set."
        return "null_pointer", Verdict.OOB, f"a thread {verb} through a null pointer", advice
    advice = "Compare the index with the length before the access."
    if target is not None:
        noun = "element" if target.elements == 1 else "elements"
        text = (
            f"a thread {verb} {target.name}[{target.index}], but {target.name} has "
            f"{target.elements} {noun}"
        )
        if target.index < 0:
            advice = "The index is negative: check the subtraction that made it."
    elif record.space == "shared":
        text = f"a thread {verb} {record.bytes} bytes outside of the block's shared memory"
        advice = "Compare the index with the extent of the shared array before the access."
    else:
        text = f"a thread {verb} memory that belongs to no tensor and no workspace"
        advice = "A kernel may touch only what it was given: check the pointer arithmetic."
    return "out_of_bounds", Verdict.OOB, text, advice


def _race(record: Record) -> tuple[str, Verdict, str, str]:
    assert record.other is not None
    now, before = record.side.thread, record.other.thread
    same_warp = now is not None and before is not None and _same_warp(now, before)
    who = "another lane of its warp" if same_warp else "a thread of another warp"
    text = (
        f"a thread {_VERBS.get(record.side.access, 'accesses')} {record.space} memory at byte "
        f"{record.address}, which {who} {_PAST.get(record.other.access, 'accessed')}, and nothing "
        "orders the two"
    )
    advice = (
        "Since Volta the lanes of a warp may drift apart: put __syncwarp() between the two, or "
        "exchange the value by a shuffle."
        if same_warp
        else "Put __syncthreads() between the two, also where a buffer is used again."
    )
    return "race", Verdict.RACE, text, advice


def _same_warp(one: Axes, other: Axes) -> bool:
    """Told for blocks of one dimension; of others the extents are not known."""
    flat = not any((*one[1:], *other[1:]))
    return flat and one[0] // _WARP == other[0] // _WARP


def _barrier(record: Record) -> tuple[str, Verdict, str, str]:
    what = record.what.lower()
    if "divergent" in what:
        who = "its warp" if "warp" in what else "its block"
        return (
            "divergent_barrier",
            Verdict.SYNC,
            f"a thread waits at a barrier that other threads of {who} do not reach",
            "Every thread of a block must reach the same __syncthreads(), and every lane of a mask "
            "the same warp operation: move it out of the branch.",
        )
    return (
        "warp_mask",
        Verdict.SYNC,
        f"a barrier or warp operation is used wrongly: {what}",
        "A lane that calls must be in its own mask, and a mask may name only lanes that reach the "
        "call.",
    )
