"""compare: what the interpreter says against what the simulator said."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.simulator.fuzz.interpret import Machine
from tests.simulator.fuzz.language import Kernel, Load, Statement, Store


@dataclass(frozen=True)
class Report:
    """A report of the simulator: its kind and the lines it names."""

    kind: str
    lines: frozenset[int]

    def __str__(self) -> str:
        return f"{self.kind} at {sorted(self.lines)}"


@dataclass
class Observation:
    """What one run of one kernel on the simulator showed."""

    bytes: dict[str, bytes]
    reports: list[Report] = field(default_factory=list)


def clean(machine: Machine) -> bool:
    """Whether the kernel breaks no rule at all."""
    found = machine.findings
    return not (found.races or found.faults or found.unwritten)


def differences(
    kernel: Kernel, machine: Machine, seen: Observation, line_of: dict[Statement, int]
) -> list[str]:
    """Everything in which the two disagree; empty when they agree."""
    found = machine.findings
    if found.faults:
        return fault_differences(machine, seen, line_of)
    wrong = []
    # A thread that has read what hangs on the schedule may write it: then it is open whether two
    # writes are of one value.
    tainted = bool(found.unwritten) or any(
        isinstance(s, Load) for pair in found.races for s in pair
    )
    pairs: dict[frozenset[int], set[str]] = {}
    for pair, kinds in found.races.items():
        writes = all(isinstance(s, Store) for s in pair)
        allowed = {"race", "redundant_write"} if tainted and writes else kinds
        pairs.setdefault(frozenset(line_of[s] for s in pair), set()).update(allowed)
    raced = {(r.lines, r.kind) for r in seen.reports if r.kind in ("race", "redundant_write")}
    unwritten = {line_of[s] for s, _, _ in found.unwritten}
    read_early = {line_of[s] for s, _, _ in found.racing_bytes}
    exits = {line_of[s] for s in found.early_exits}
    for report in seen.reports:
        if report.kind in ("race", "redundant_write"):
            if report.kind not in pairs.get(report.lines, set()):
                wrong.append(f"false report: {report}")
        elif report.kind == "uninitialised_read":
            if not report.lines <= unwritten | read_early:
                wrong.append(f"false report: {report}")
        elif report.kind == "early_exit":
            if not report.lines <= exits:
                wrong.append(f"false report: {report}")
        else:
            wrong.append(f"false report: {report}")
    for word, entry in found.words.items():
        wanted = {(frozenset(line_of[s] for s in pair)) for pair in entry.pairs}
        if entry.must and not any(lines in wanted for lines, _ in raced):
            wrong.append(f"missed: race at word {word}, lines {sorted(map(sorted, wanted))}")
    reported = {line for r in seen.reports for line in r.lines}
    # A byte is told once, at one of the lines that read it too early.
    early: dict[tuple[int, int], set[int]] = {}
    for statement, *byte in found.unwritten:
        early.setdefault((byte[0], byte[1]), set()).add(line_of[statement])
    raced_bytes = {(memory, byte) for _, memory, byte in found.racing_bytes}
    for byte_at in set(early) - raced_bytes:
        if not early[byte_at] & reported:
            wrong.append(f"missed: uninitialised_read at one of {sorted(early[byte_at])}")
    for statement in found.early_exits:
        if not any(r.kind == "early_exit" for r in seen.reports):
            wrong.append(f"missed: early_exit at {line_of[statement]}")
    if clean(machine):
        wrong += value_differences(kernel, machine, seen)
    return sorted(set(wrong))


def fault_differences(
    machine: Machine, seen: Observation, line_of: dict[Statement, int]
) -> list[str]:
    """After such a fault the rest of the run is anybody's: only the fault itself is compared."""
    expected = {(kind, line_of[s]) for kind, s in machine.findings.faults}
    if any(r.kind == kind and line in r.lines for r in seen.reports for kind, line in expected):
        return []
    said = "; ".join(map(str, seen.reports)) or "nothing"
    return [f"missed: one of {sorted(expected)}, reported: {said}"]


def value_differences(kernel: Kernel, machine: Machine, seen: Observation) -> list[str]:
    wrong = []
    for name, memory in machine.globals.items():
        raw = seen.bytes.get(name)
        if raw is None:
            wrong.append(f"no values of {name}")
            continue
        type = memory.array.type
        dtype = np.dtype(f"<{type.kind}{type.bytes}")
        ours = np.frombuffer(bytes(memory.data), dtype)
        theirs = np.frombuffer(raw, dtype)
        written = np.frombuffer(bytes(memory.written), np.uint8).reshape(-1, type.bytes).all(axis=1)
        equal = (ours == theirs) | ((ours != ours) & (theirs != theirs)) | ~written
        for i in np.flatnonzero(~equal)[:3]:
            wrong.append(f"value: {name}[{i}] is {theirs[i]}, expected {ours[i]}")
    return wrong
